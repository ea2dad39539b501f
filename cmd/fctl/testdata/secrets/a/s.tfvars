db_password = "hunter1" // hunter-comment
db_host     = "db.example.com"
