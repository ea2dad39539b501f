/*
 * A queue with its consumers.
 */
terraform {
  required_version = ">= 1.5, < 2.0"
  required_providers {
    aws    = { source = "hashicorp/aws", version = "~> 5.31" }
    random = {
      source                = "hashicorp/random"
      version               = ">= 3.0" // any
      configuration_aliases = [random.seeded]
    }
  }

  backend "s3" {}
}

provider "aws" {
  region = var.region

  default_tags {
    tags = merge(local.tags, { Managed = "tofu" })
  }
}

provider "aws" {
  alias  = "replica"
  region = "eu-central-1"
}

variable "region" { type = string }

variable "consumers" {
  description = <<-EOT
    Who reads the queue, by name:
      - memory: in "MiB"
      - ${"literal"}
  EOT
  type = map(object({
    memory  = optional(number, 128)
    timeout = optional(number)
  }))
  default   = {}
  nullable  = false
  sensitive = false

  validation {
    condition     = alltrue([for c in values(var.consumers) : c.memory >= 128])
    error_message = "A consumer needs 128 MiB at least, not ${min([for c in values(var.consumers) : c.memory]...)}."
  }
}

locals {
  enabled = length(var.consumers) > 0 ? 1 : 0
  tags = {
    Name          = "queue"
    "team/owner"  = "platform" # who to call
    (local.stage) = true
  }
  names   = { for name, c in var.consumers : name => "${name}-${c.memory}" if c.timeout != null }
  ports   = [80, 443, 08]
  matrix  = [[1, 2], [3, 4]]
  weight  = 1.50
  limit   = 1e3
  zip     = "007"
  percent = "100%% of $${this}"
  quoted  = "say \"hi\" to C:\\temp \u00e9"
  none    = null
  list = [
    "a", # first
    "b",

    # the last
    "c"
  ]
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = ["sqs:*"] }]
  })
  script = <<EOT
#!/bin/sh
%{for name in keys(var.consumers)~}
echo ${name}
%{endfor~}
EOT
}

data "aws_iam_policy_document" "read" {
  statement {
    actions   = ["sqs:ReceiveMessage"]
    resources = [aws_sqs_queue.this.arn, "${aws_sqs_queue.this.arn}/*"]

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

data "aws_caller_identity" "current" {}

resource "aws_sqs_queue" "this" {
  provider                   = aws.replica
  name                       = "${var.region}-queue"
  visibility_timeout_seconds = max(30, [for c in var.consumers : c.timeout]...)
  tags                       = local.tags

  dynamic "redrive" {
    for_each = local.enabled == 1 ? [true] : []
    iterator = it
    content {
      attempts = it.value ? 5 : 0
      dynamic "inner" {
        for_each = { a = 1 }
        content { key = inner.key }
      }
    }
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [tags["Name"], name]
    precondition {
      condition     = var.region != ""
      error_message = "no region"
    }
  }

  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id}"
  }
}

module "consumer" {
  source   = "terraform-aws-modules/lambda/aws"
  version  = "7.2.1"
  for_each = var.consumers

  function_name = each.key
  memory_size   = each.value.memory
  environment_variables = {
    QUEUE = aws_sqs_queue.this.url
    LEVEL = "info"
  }
  providers = {
    aws = aws.replica
  }
  depends_on = [aws_sqs_queue.this]
}

moved {
  from = aws_sqs_queue.main
  to   = aws_sqs_queue.this
}

check "health" {
  assert {
    condition     = aws_sqs_queue.this.id != null
    error_message = "gone"
  }
}

output "url" {
  description = "Where to send to"
  value       = aws_sqs_queue.this.url
  sensitive   = true
}
