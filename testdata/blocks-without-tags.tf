# Of these only the resource takes tags.
variable "size" {
  default = 1
}

locals {
  team = "core"
}

locals {
  region = "eu"
}

data "aws_vpc" "shared" {
  id = "vpc-1"
}

resource "aws_subnet" "a" {
  vpc_id = data.aws_vpc.shared.id
}
