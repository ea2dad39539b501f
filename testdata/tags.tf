# One resource whose tags are made elsewhere.
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
  tags       = merge(local.tags, { Name = "main" })
}

resource "aws_subnet" "a" {
  vpc_id = aws_vpc.main.id
  tags = {
    Name = "a"
  }
}

resource "aws_subnet" "b" {
  vpc_id = aws_vpc.main.id
}
