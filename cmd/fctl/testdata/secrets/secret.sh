# secret FILE sets type and path to those of a secret value of FILE.
secret() {
  case $1 in
    *.env) type=NoSchema path=DB_PASSWORD ;;
    *.tf) type=aws_db_instance path=password ;;
    *.tfvars) type=attributes path=db_password ;;
    *) type=ShopSettings path=database.password ;;
  esac
}
