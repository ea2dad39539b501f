# the shop
resource "aws_db_instance" "shop" {
  identifier = "shop"
  password   = "hunter2" # hunter-comment
  keys = {
    # hunter-comment 2
    first = <<-EOT
      hunter-line
      hunter-line 2
    EOT
    second = ["hunter", var.hunter] // hunter-comment
  }

  login "admin" { # hunter-comment 2
    # hunter-comment

    pin = 4712 /* hunter-comment */
  }
  port = 81 # the port
}

variable "port" {
  default = 81
}
