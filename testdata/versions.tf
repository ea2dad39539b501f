# What the shop is built from
terraform {
  required_version = ">= 1.6" # moved blocks

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
    random = { source = "hashicorp/random", version = ">= 3.0" }
    null   = "~> 3.2"
  }
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.1.0"   # keep in step with staging
  name    = "shop"
}

module "dns" {
  source = "./modules/dns"
  zone   = "${var.stage}.shop.example.com"
}
