package integration_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The objects of deploy/kubernetes, with the fields that they use: one that is not
// here is an error. .ci/kube holds the files against the schemas of Kubernetes, and
// these tests hold them against each other and against the programs.
type (
	object struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   metadata          `yaml:"metadata"`
		Data       map[string]string `yaml:"data"`
		Automount  *bool             `yaml:"automountServiceAccountToken"`
		Spec       objectSpec        `yaml:"spec"`
	}
	metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	// objectSpec is that of every kind.
	objectSpec struct {
		Replicas       int            `yaml:"replicas"`
		ServiceName    string         `yaml:"serviceName"`
		ClusterIP      string         `yaml:"clusterIP"`
		Strategy       map[string]any `yaml:"strategy"`
		BackoffLimit   int            `yaml:"backoffLimit"`
		AccessModes    []string       `yaml:"accessModes"`
		Resources      map[string]any `yaml:"resources"`
		MinAvailable   int            `yaml:"minAvailable"`
		MaxUnavailable int            `yaml:"maxUnavailable"`
		Claims         []object       `yaml:"volumeClaimTemplates"`
		Ports          []servicePort  `yaml:"ports"`
		Selector       yaml.Node      `yaml:"selector"` // of a service it is labels alone
		Template       struct {
			Metadata metadata
			Spec     podSpec
		} `yaml:"template"`
		PodSelector selector `yaml:"podSelector"`
		PolicyTypes []string `yaml:"policyTypes"`
		Ingress     []rule   `yaml:"ingress"`
		Egress      []rule   `yaml:"egress"`
	}
	servicePort struct {
		Name, Protocol string
		Port           int
		TargetPort     string `yaml:"targetPort"`
	}
	podSpec struct {
		Account        string                 `yaml:"serviceAccountName"`
		Automount      *bool                  `yaml:"automountServiceAccountToken"`
		Links          *bool                  `yaml:"enableServiceLinks"`
		Grace          int                    `yaml:"terminationGracePeriodSeconds"`
		Restart        string                 `yaml:"restartPolicy"`
		Security       map[string]any         `yaml:"securityContext"`
		Spread         []map[string]any       `yaml:"topologySpreadConstraints"`
		Affinity       map[string]any         `yaml:"affinity"`
		InitContainers []container            `yaml:"initContainers"`
		Containers     []container            `yaml:"containers"`
		Volumes        []map[string]yaml.Node `yaml:"volumes"`
	}
	container struct {
		Name, Image   string
		Command, Args []string
		Env           []struct {
			Name, Value string
			From        map[string]struct{ Name, Key string } `yaml:"valueFrom"`
		}
		Ports []struct {
			Name, Protocol string
			Port           int `yaml:"containerPort"`
		}
		Startup   *probe                       `yaml:"startupProbe"`
		Liveness  *probe                       `yaml:"livenessProbe"`
		Readiness *probe                       `yaml:"readinessProbe"`
		Resources map[string]map[string]string `yaml:"resources"`
		Security  struct {
			Escalation *bool               `yaml:"allowPrivilegeEscalation"`
			ReadOnly   bool                `yaml:"readOnlyRootFilesystem"`
			Caps       map[string][]string `yaml:"capabilities"`
		} `yaml:"securityContext"`
		Mounts []struct {
			Name     string
			Path     string `yaml:"mountPath"`
			ReadOnly bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	probe struct {
		HTTP *struct{ Path, Port, Scheme string } `yaml:"httpGet"`
		TCP  *struct{ Port string }               `yaml:"tcpSocket"`
		Exec *struct{ Command []string }          `yaml:"exec"`

		Delay    int `yaml:"initialDelaySeconds"`
		Period   int `yaml:"periodSeconds"`
		Timeout  int `yaml:"timeoutSeconds"`
		Failures int `yaml:"failureThreshold"`
	}
)

// manifests reads all objects, strictly.
func manifests(t *testing.T) []object {
	t.Helper()
	files, err := filepath.Glob("../deploy/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in deploy/kubernetes: %v", err)
	}
	var all []object
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := yaml.NewDecoder(bytes.NewReader(content))
		d.KnownFields(true)
		for {
			var o object
			if err = d.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, o)
		}
	}
	return all
}

func (o *object) String() string { return o.Kind + " " + o.Metadata.Namespace + "/" + o.Metadata.Name }

// workloads are the objects that have pods.
func workloads(all []object) []object {
	return slices.DeleteFunc(slices.Clone(all), func(o object) bool { return len(o.Spec.Template.Spec.Containers) == 0 })
}

// TestKubernetesPods: nobody is root, can write its own files, or takes more than it
// is given; images are pinned, and secrets are named, not written down.
func TestKubernetesPods(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	pinned := regexp.MustCompile(`^[a-z0-9./_-]+:[0-9]+\.[0-9]+[A-Za-z0-9._-]*$`)
	for _, o := range all {
		if o.Kind == "Secret" {
			t.Errorf("%v is written down, must be made by hand", &o)
		}
	}
	for _, o := range workloads(all) {
		p := o.Spec.Template.Spec
		if p.Automount == nil || *p.Automount || p.Links == nil || *p.Links {
			t.Errorf("%v has a token of the cluster, or names of all services", &o)
		}
		user, _ := p.Security["runAsUser"].(int)
		seccomp, _ := p.Security["seccompProfile"].(map[string]any)
		if p.Security["runAsNonRoot"] != true || user == 0 || seccomp["type"] != "RuntimeDefault" {
			t.Errorf("%v may be root, or call what it likes: %v", &o, p.Security)
		}
		if !slices.ContainsFunc(all, func(a object) bool {
			return a.Kind == "ServiceAccount" && a.Metadata.Name == p.Account && a.Metadata.Namespace == o.Metadata.Namespace
		}) {
			t.Errorf("%v runs as %q, which is not there", &o, p.Account)
		}
		volumes := volumesOf(t, all, o)
		for i, c := range slices.Concat(p.InitContainers, p.Containers) {
			if !pinned.MatchString(c.Image) {
				t.Errorf("%v: image %q is not of one version", &o, c.Image)
			}
			if s := c.Security; s.Escalation == nil || *s.Escalation || !s.ReadOnly || !slices.Equal(s.Caps["drop"], []string{"ALL"}) {
				t.Errorf("%v: container %s may do more than it needs: %+v", &o, c.Name, s)
			}
			for _, bound := range []string{"requests", "limits"} {
				if c.Resources[bound]["cpu"] == "" || c.Resources[bound]["memory"] == "" {
					t.Errorf("%v: container %s has no %s", &o, c.Name, bound)
				}
			}
			if serves := i >= len(p.InitContainers) && o.Kind != "Job"; serves && (c.Liveness == nil || c.Readiness == nil) {
				t.Errorf("%v: container %s is not asked whether it lives and is ready", &o, c.Name)
			}
			for _, e := range c.Env {
				if ref, ok := e.From["secretKeyRef"]; strings.Contains(e.Name, "PASSWORD") && (!ok || e.Value != "" || ref.Name == "" || ref.Key == "") {
					t.Errorf("%v: %s stands in the file", &o, e.Name)
				}
			}
			for _, m := range c.Mounts {
				if !volumes[m.Name] {
					t.Errorf("%v: container %s mounts %q, which is no volume", &o, c.Name, m.Name)
				}
			}
			checkProbes(t, o, c)
		}
	}
}

// volumesOf returns the names of a pod's volumes, whose sources must be there.
func volumesOf(t *testing.T, all []object, o object) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, v := range o.Spec.Template.Spec.Volumes {
		name := v["name"].Value
		names[name] = true
		for kind, source := range v {
			var ref struct{ Name, ClaimName string }
			if kind == "configMap" || kind == "persistentVolumeClaim" {
				m := map[string]any{}
				if err := source.Decode(&m); err != nil {
					t.Fatal(err)
				}
				ref.Name, _ = m["name"].(string)
				ref.ClaimName, _ = m["claimName"].(string)
				wanted := map[string]string{"configMap": "ConfigMap", "persistentVolumeClaim": "PersistentVolumeClaim"}[kind]
				if !slices.ContainsFunc(all, func(a object) bool {
					return a.Kind == wanted && a.Metadata.Namespace == o.Metadata.Namespace && a.Metadata.Name == ref.Name+ref.ClaimName
				}) {
					t.Errorf("%v: volume %s is of %s %q, which is not there", &o, name, wanted, ref.Name+ref.ClaimName)
				}
			}
		}
	}
	for _, c := range o.Spec.Claims {
		names[c.Metadata.Name] = true
	}
	return names
}

// checkProbes refuses probes of ports that a container does not have.
func checkProbes(t *testing.T, o object, c container) {
	t.Helper()
	for _, p := range []*probe{c.Startup, c.Liveness, c.Readiness} {
		if p == nil {
			continue
		}
		var port string
		switch {
		case p.HTTP != nil:
			port = p.HTTP.Port
		case p.TCP != nil:
			port = p.TCP.Port
		case p.Exec != nil && len(p.Exec.Command) > 0:
			continue
		}
		if !c.has(port) {
			t.Errorf("%v: container %s is asked at port %q, which it does not have", &o, c.Name, port)
		}
	}
}

func (c *container) has(port string) bool {
	for _, p := range c.Ports {
		if p.Name == port && p.Port > 0 {
			return true
		}
	}
	return false
}

// TestKubernetesSelectors: whatever selects pods finds the pods that it is about.
func TestKubernetesSelectors(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	for _, o := range all {
		var s selector
		switch o.Kind {
		case "Service":
			if err := o.Spec.Selector.Decode(&s.Labels); err != nil {
				t.Fatal(err)
			}
		case "Deployment", "StatefulSet", "PodDisruptionBudget":
			if err := o.Spec.Selector.Decode(&s); err != nil {
				t.Fatal(err)
			}
		default:
			continue
		}
		var found []object
		for _, w := range workloads(all) {
			if w.Metadata.Namespace == o.Metadata.Namespace && s.matches(w.Spec.Template.Metadata.Labels) {
				found = append(found, w)
			}
		}
		if len(s.Labels) == 0 || len(found) != 1 {
			t.Errorf("%v selects the pods of %d workloads by %v, want those of one", &o, len(found), s.Labels)
			continue
		}
		if w := found[0]; o.Kind != "Service" && o.Metadata.Name != w.Metadata.Name {
			t.Errorf("%v selects the pods of %v", &o, &w)
		}
		for _, p := range o.Spec.Ports {
			if !slices.ContainsFunc(found[0].Spec.Template.Spec.Containers, func(c container) bool { return c.has(p.TargetPort) }) {
				t.Errorf("%v leads to port %q, which its pods do not have", &o, p.TargetPort)
			}
		}
	}
}

// TestKubernetesScripts: what the files hold for a shell is read by one.
func TestKubernetesScripts(t *testing.T) {
	t.Parallel()
	n := 0
	for _, o := range manifests(t) {
		for name, content := range o.Data {
			if !strings.HasSuffix(name, ".sh") {
				continue
			}
			n++
			c := exec.Command("sh", "-n")
			c.Stdin = strings.NewReader(content)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s: %v: %s", &o, name, err, out)
			}
		}
	}
	if n == 0 {
		t.Error("there are no scripts: nothing was tested")
	}
}
