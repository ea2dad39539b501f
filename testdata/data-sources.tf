data "aws_vpc" "main" {
  default = true
}

resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

data "aws_subnet" "public" {
  vpc_id = data.aws_vpc.main.id
}
