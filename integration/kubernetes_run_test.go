package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKubernetesPrograms starts gateway and server with the arguments that their pods
// have, on files at the places of their volumes, and asks them as the cluster would.
func TestKubernetesPrograms(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	root := t.TempDir()
	pod := func(name string) container {
		for _, o := range workloads(all) {
			if o.Metadata.Name == name {
				return o.Spec.Template.Spec.Containers[0]
			}
		}
		t.Fatalf("there is no %s", name)
		return container{}
	}
	// Files lie behind two links, in a folder that everybody may write but for its sticky bit.
	file := func(path string, content []byte) {
		dir, name := filepath.Split(filepath.Join(root, path))
		err := errors.Join(os.MkdirAll(filepath.Join(dir, "..2026_01_31"), 0o755), os.WriteFile(filepath.Join(dir, "..2026_01_31", name), content, 0o600),
			os.Chmod(dir, 0o777|os.ModeSticky), os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
		if failed := os.Symlink("..2026_01_31", filepath.Join(dir, "..data")); failed != nil && !os.IsExist(failed) {
			err = errors.Join(err, failed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	certificate, key := selfSigned(t)
	file("etc/sotto/tls/tls.crt", certificate)
	file("etc/sotto/tls/tls.key", key)
	secret := make([]byte, 32)
	rand.Read(secret)
	file("etc/sotto/secret/secret", secret)
	_, keys := newKey(t, "--subject", "shop")
	entry, err := os.ReadFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	file("etc/sotto/keys/keys.jsonl", entry)
	for _, o := range all {
		if o.Kind == "ConfigMap" && o.Metadata.Name == "gateway" {
			file("etc/sotto/config/gateway.json", []byte(o.Data["gateway.json"]))
		}
	}
	_, head := trainedCodes(t)
	if err = os.Symlink(filepath.Dir(head), filepath.Join(root, "models")); err != nil {
		t.Fatal(err)
	}
	if err = os.Mkdir(filepath.Join(root, "head"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A file stands for the database, which the pod's own argument names.
	here := func(c container, more ...string) []string {
		var args []string
		for _, a := range c.Args {
			if strings.HasPrefix(a, "--ledger=") {
				if !strings.Contains(a, "sslmode=verify-full&target_session_attrs=read-write") {
					t.Errorf("%s: the address is %s, must lead to the primary, encrypted", c.Name, a)
				}
				a = "--ledger=" + filepath.Join(root, "ledger")
			}
			a = strings.ReplaceAll(a, "=/etc/", "="+root+"/etc/")
			args = append(args, strings.ReplaceAll(a, "=/models", "="+root+"/models"))
			if strings.HasPrefix(a, "--ledger=") {
				args = append(args, "--head="+filepath.Join(root, "head", "ledger")) // a database has its own
			}
		}
		return append(args, more...)
	}
	if out, failed := exec.Command(binary, here(pod("ledger-init"))...).CombinedOutput(); failed != nil {
		t.Fatalf("the ledger is not begun: %v: %s", failed, out)
	}
	if out, failed := exec.Command(binary, here(pod("gateway"))...).CombinedOutput(); failed == nil || !strings.Contains(string(out), "--ledger-standbys is 1 and --ledger is a file") {
		t.Errorf("with a ledger that has no standby the gateway says %v: %s", failed, out)
	}
	settings := filepath.Join(root, "etc/sotto/config/gateway.json")
	content, err := os.ReadFile(settings)
	if err == nil {
		err = os.WriteFile(settings, []byte(strings.Replace(string(content), `, "ledger-standbys": 1`, "", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // as the cluster asks
	for _, name := range []string{"gateway", "server"} {
		c := pod(name)
		p := launch(t, here(c, "--withdraw=1s")...)
		for _, ask := range []*probe{c.Startup, c.Liveness, c.Readiness} {
			if ask.HTTP == nil || ask.HTTP.Scheme != "HTTPS" {
				t.Errorf("%s is asked by %+v, must be by HTTPS", name, ask)
				continue
			}
			answer, err := client.Get("https://" + p.base[strings.LastIndex(p.base, "/")+1:] + ask.HTTP.Path)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s answers %s with %s: %s", name, ask.HTTP.Path, answer.Status, body)
			}
		}
	}
}

// selfSigned makes a certificate of this machine, and its key.
func selfSigned(t *testing.T) (certificate, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sotto"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}
