// Package testcluster tests fctl-runner with a real Kubernetes: etcd, API server, controller
// manager, scheduler, kubelet and containerd, built from Go modules. The tests have the build tag
// cluster; make test-cluster runs them. They need Linux, root, runc and the CNI plug-ins, and end
// only what they started.
//
// Layer: commands.
package testcluster
