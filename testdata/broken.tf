resource "a" "b" {
  x = 
}
