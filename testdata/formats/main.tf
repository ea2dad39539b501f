locals {
  team = "shop"
}
