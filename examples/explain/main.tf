# What the examples of the functions are about.

terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

module "network" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.0.0"
}

resource "aws_instance" "web" {
  count         = 2
  ami           = "confighubplaceholder"
  instance_type = "t3.micro"
  monitoring    = false

  tags = {
    team = "shop"
  }

  root_block_device {
    volume_size = 10
  }
}

resource "aws_eip" "web" {
  instance = aws_instance.web.id
}
