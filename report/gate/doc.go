// Package gate says whether evidence about representations is good enough, by a
// policy that was written beforehand: the true ε, accuracy, leakage, fairness,
// audits and attacks. A build stops where it says no.
//
// It measures nothing, and fails closed: what a rule asks for and was not
// measured is a reason to say no, and so are a rule that matches nothing and
// a training that was interrupted. The smallest use is
//
//	policy, err := gate.Parse(file)
//	…
//	verdict, err := policy.Judge(found)
//
// It is apart from reports because what a policy may say is a format, and tests of other
// rooms hold their evidence against policies.
package gate
