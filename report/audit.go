package report

import (
	"sotto/evidence"
	"sotto/promise/mech"
)

// auditKind is what "sotto audit" certifies. It is shown beside what was
// promised.
var auditKind = evidence.Kind[evidence.Audit]{
	Format: evidence.AuditFormat, Name: "audit", List: "audits",
	Subjects: func(a *evidence.Audit) []evidence.Subject {
		return []evidence.Subject{{
			Name:    join("audit of", a.Mechanism, a.Variant),
			Match:   evidence.Match{Mechanism: a.Mechanism, Variant: a.Variant},
			Refuted: &a.Refuted,
			Promise: &evidence.Promise{
				Name:      mechanismName(mech.Params{Dim: a.Dim}, a.Mechanism, a.Variant),
				Mechanism: a.Mechanism, Variant: a.Variant, Dim: a.Dim, Unit: a.Unit, Delta: a.Delta,
				Claimed: &a.Claimed, Proved: a.True, Assumptions: a.Assumptions, Audit: &a.Result,
			},
		}}
	},
}
