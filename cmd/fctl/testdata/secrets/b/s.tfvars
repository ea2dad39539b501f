db_password = "hunter2" // hunter-comment
db_host     = "db.example.org"
