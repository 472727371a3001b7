package integration_test

import (
	"slices"
	"testing"
)

type (
	selector struct {
		Labels      map[string]string `yaml:"matchLabels"`
		Expressions []struct {
			Key, Operator string
			Values        []string
		} `yaml:"matchExpressions"`
	}
	peer struct {
		Pods       *selector `yaml:"podSelector"`
		Namespaces *selector `yaml:"namespaceSelector"`
	}
	rule struct {
		From, To []peer
		Ports    []struct {
			Protocol string
			Port     int
		}
	}
)

// matches reports whether labels are those that a selector wants.
func (s *selector) matches(labels map[string]string) bool {
	for k, v := range s.Labels {
		if labels[k] != v {
			return false
		}
	}
	for _, e := range s.Expressions {
		if e.Operator != "In" || !slices.Contains(e.Values, labels[e.Key]) {
			return false
		}
	}
	return true
}

// end is a pod, or something outside of the cluster, which has no namespace.
type end struct {
	namespace string
	of        map[string]string // the namespace's labels
	labels    map[string]string
}

// selects reports whether a peer of a policy in a namespace means an end.
func (p *peer) selects(namespace string, e end) bool {
	switch {
	case e.namespace == "":
		return false // no policy of ours has blocks of addresses
	case p.Namespaces == nil && e.namespace != namespace:
		return false
	case p.Namespaces != nil && !p.Namespaces.matches(e.of):
		return false
	}
	return p.Pods == nil || p.Pods.matches(e.labels)
}

// allowed reports whether policies let one end send to a port of another, as
// Kubernetes defines it: whom a policy selects, in a direction, may do what some
// policy lists, and nothing else.
func allowed(policies []object, from, to end, port int) bool {
	way := func(direction string, self, other end) bool {
		selected, listed := false, false
		for _, o := range policies {
			if o.Metadata.Namespace != self.namespace || !slices.Contains(o.Spec.PolicyTypes, direction) || !o.Spec.PodSelector.matches(self.labels) {
				continue
			}
			selected = true
			rules := o.Spec.Ingress
			if direction == "Egress" {
				rules = o.Spec.Egress
			}
			for _, r := range rules {
				peers := r.From
				if direction == "Egress" {
					peers = r.To
				}
				if slices.ContainsFunc(peers, func(p peer) bool { return p.selects(o.Metadata.Namespace, other) }) &&
					(len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, func(p struct {
						Protocol string
						Port     int
					},
					) bool {
						return p.Port == port
					})) {
					listed = true
				}
			}
		}
		return !selected || listed
	}
	return way("Egress", from, to) && way("Ingress", to, from)
}

// TestKubernetesPolicy: texts reach the gateway alone. What a pod of a client, a
// server that was taken over, or anybody else tries beyond that is denied.
func TestKubernetesPolicy(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	ends := map[string]end{
		"client":   {namespace: "shop", of: map[string]string{"sotto/clients": "true"}, labels: map[string]string{"sotto/client": "true"}},
		"stranger": {namespace: "shop", of: map[string]string{"sotto/clients": "true"}, labels: map[string]string{"app": "cart"}},
		"foreign":  {namespace: "other", of: map[string]string{}, labels: map[string]string{"sotto/client": "true"}},
		"outside":  {},
		"new":      {namespace: "sotto-trusted", of: map[string]string{"kubernetes.io/metadata.name": "sotto-trusted"}, labels: map[string]string{"app": "new"}},
		"names":    {namespace: "kube-system", of: map[string]string{"kubernetes.io/metadata.name": "kube-system"}, labels: map[string]string{"k8s-app": "kube-dns"}},
		"submit":   {namespace: "sotto-trusted", of: map[string]string{"kubernetes.io/metadata.name": "sotto-trusted"}, labels: map[string]string{"app.kubernetes.io/name": "flink-client"}},
	}
	for _, w := range workloads(all) {
		ns := w.Metadata.Namespace
		ends[w.Metadata.Name] = end{namespace: ns, of: map[string]string{"kubernetes.io/metadata.name": ns}, labels: w.Spec.Template.Metadata.Labels}
	}
	policies := slices.DeleteFunc(all, func(o object) bool { return o.Kind != "NetworkPolicy" })
	want := map[[2]string][]int{
		{"client", "gateway"}:            {8787},
		{"gateway", "server"}:            {8788},
		{"gateway", "ledger"}:            {5432},
		{"ledger", "ledger"}:             {5432},
		{"ledger-init", "ledger"}:        {5432},
		{"flink-worker", "ledger"}:       {5432},
		{"submit", "flink-jobs"}:         {8098, 8099},
		{"gateway", "names"}:             {53},
		{"ledger", "names"}:              {53},
		{"ledger-init", "names"}:         {53},
		{"flink-worker", "names"}:        {53},
		{"flink-jobs", "names"}:          {53},
		{"flink-master", "names"}:        {53},
		{"submit", "names"}:              {53},
		{"new", "names"}:                 {53},
		{"flink-jobs", "flink-master"}:   {8081, 1},
		{"flink-worker", "flink-master"}: {6123, 6124, 1},
	}
	flink := []string{"flink-jobs", "flink-master", "flink-worker"}
	within := func(e end) bool { return e.namespace == "sotto-trusted" || e.namespace == "sotto-untrusted" }
	tried := 0
	for from, a := range ends {
		for to, b := range ends {
			if !within(a) && !within(b) {
				continue // not ours to say
			}
			for _, port := range []int{1, 53, 5432, 6123, 6124, 8081, 8098, 8099, 8787, 8788} {
				tried++
				may := slices.Contains(want[[2]string{from, to}], port) || slices.Contains(flink, from) && slices.Contains(flink, to)
				if got := allowed(policies, a, b, port); got != may {
					t.Errorf("%s may reach port %d of %s: %v, want %v", from, port, to, got, may)
				}
			}
		}
	}
	t.Logf("%d ways were tried", tried)
}
