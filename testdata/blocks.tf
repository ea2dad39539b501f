# How a queue is made; its values are spread over several blocks of a kind
locals {
  enabled = var.enabled
}

locals {
  queue_name = "jobs"
  tags = {
    Name = "jobs"
  }
}

locals {}

data "aws_kms_key" "queue" {
  key_id = "alias/queue"
  weight = 1.50
}

resource "aws_kms_key" "queue" {
  key_id = "own"
  weight = 1e3
}

module "events" {
  source = "./events"
}

moved {
  from = aws_sqs_queue.a
  to   = aws_sqs_queue.b
}

moved {
  from = aws_sqs_queue.c
  to   = aws_sqs_queue.d
}
