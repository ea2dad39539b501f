#!/bin/sh
# The function for resources of the kind Nginx: it prints a Deployment and a Service. It runs itself
# again below `fctl fn wrap`, which passes the fields of the resource as variables and merges what
# is printed into what exists, so that changes of users stay.
set -eu

if [ -z "${WRAPPED:-}" ]; then
	WRAPPED=true
	export WRAPPED
	exec "${FCTL:-fctl}" fn wrap ${PATTERN:+--filename-pattern "$PATTERN"} -- "$0"
fi

cat <<END
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${NAME}
  labels:
    app: nginx
    instance: ${NAME}
spec:
  replicas: ${REPLICAS}
  selector:
    matchLabels:
      app: nginx
      instance: ${NAME}
  template:
    metadata:
      labels:
        app: nginx
        instance: ${NAME}
    spec:
      containers:
      - name: nginx
        image: nginx:1.7.9
        ports:
        - containerPort: 80
---
apiVersion: v1
kind: Service
metadata:
  name: ${NAME}
  labels:
    app: nginx
    instance: ${NAME}
spec:
  ports:
  - port: 80
    targetPort: 80
    name: http
  selector:
    app: nginx
    instance: ${NAME}
END
