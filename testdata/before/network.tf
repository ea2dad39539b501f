# The network of the shop

terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0" # pinned
    }
  }

  backend "s3" {
    bucket = "shop-state"
  }
}

locals {
  zones = ["eu-west-1a", "eu-west-1b"]
  name  = "shop-${var.env}"
}

provider "aws" {
  alias  = "west"
  region = "us-west-2"
}

data "aws_ami" "base" {
  owners      = ["self", var.owner]
  most_recent = true
}

# where everything is
resource "aws_vpc" "main" {
  cidr_block           = "10.0.0.0/8"
  enable_dns_hostnames = true

  tags = {
    Name       = "confighubplaceholder" // seen in the console
    "shop/env" = var.env
  }
}

resource "aws_security_group" "web" {
  count  = length(local.zones)
  vpc_id = aws_vpc.main.id

  ingress {
    from_port   = 80
    cidr_blocks = ["0.0.0.0/0"]
  }

  dynamic "egress" {
    for_each = var.egress
    content {
      from_port = egress.value["port"]
    }
  }

  lifecycle { create_before_destroy = true }
}

module "cluster" {
  source  = "./modules/cluster"
  subnets = [
    "10.0.1.0/24",
    "10.0.2.0/24", # spare
  ]
  policy = jsonencode({
    Version = "2012-10-17"
  })
  user_data = <<-EOT
    #!/bin/sh
    echo ${local.name}
  EOT
}

output "vpc" { value = aws_vpc.main.id }
