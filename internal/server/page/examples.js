// What the page shows to somebody without a manifest at hand. A chain is a list of words.

export const examples = [
  {
    title: "Scale a Deployment", toolchain: "kubernetes", file: "deployment.yaml",
    text: `# The shop's front end.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: prod
spec:
  replicas: 2 # one per zone
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
        - name: web
          image: nginx:1.27   # the same as in staging
          ports: [{containerPort: 80}]
`,
    chain: [["set-replicas", "5"], ["set-container-image", "web", "nginx:1.28"]],
  },
  {
    title: "Find mistakes", toolchain: "kubernetes", file: "broken.yaml",
    text: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: "2"
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: store}
    spec:
      containers:
        - name: web
          image: nginx:latest
          port: 80
          envFrom: [{configMapRef: {name: setings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LOG_LEVEL: info}
`,
    chain: [["vet-schemas"], ["vet-semantics"], ["vet-references"]],
  },
  {
    title: "Move images to a mirror", toolchain: "kubernetes", file: "mirror.yaml",
    text: `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      initContainers:
        - {name: wait, image: busybox:1.37}
      containers:
        - name: web
          image: docker.io/library/nginx:1.28
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec:
  selector: {app: store} # finds no pod
  ports: [{port: 80}]
`,
    chain: [["get-images"], ["move-images", "mirror.example.com/docker"], ["vet-selectors"]],
  },
  {
    title: "Read values", toolchain: "kubernetes", file: "jobs.yaml",
    text: `apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 6 * * 1-5"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - {name: report, image: example.com/report:2.1}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: migrate, image: example.com/migrate:2.1}
`,
    chain: [["get-container-image", "*"]],
  },
  {
    title: "Change a .env file", toolchain: "appconfig-env", file: "settings.env",
    text: `# Set by the release.
LOG_LEVEL=info
export REPLICAS=2
`,
    chain: [["set-path", "LOG_LEVEL", "debug"]],
  },
];
