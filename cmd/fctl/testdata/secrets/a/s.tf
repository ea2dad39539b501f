# the shop
resource "aws_db_instance" "shop" {
  identifier = "shop"
  password   = "hunter1" # hunter-comment
  keys = {
    # hunter-comment
    first = <<-EOT
      hunter-line
      hunter-line
    EOT
    second = ["hunter", var.hunter] // hunter-comment
  }

  login "admin" { # hunter-comment
    # hunter-comment

    pin = 4711 /* hunter-comment */
  }
  port = 80 # the port
}

variable "port" {
  default = 80
}
