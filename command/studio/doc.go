// Package studio is one local page for people who would rather look than type:
// drop a file, see it as it is understood, move a slider over ε, train, try a
// text, open the report. Each step shows the command that does the same.
//
// It is for one person on one machine: it listens where only this machine can
// ask, under names of this machine alone, and answers only who has the secret
// that was printed when it started. Files that were dropped lie in a private
// folder that is removed at the end. It is not a service for others; gateway and
// server are. It measures and trains nothing itself.
//
// A feature is a [Tab]. Those of the core are in [Tabs]; those of studies are handed in by
// [Config], and what they remember lies in what made them. They ask the studio for what the
// person gave ([Studio.File], [Studio.Run], [Studio.Typed]), and begin what takes long by
// [Studio.Begin]. The smallest use is
//
//	s, err := studio.New(studio.Config{})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	fmt.Println(s.Address(l.Addr()))
//	return s.Serve(ctx, l)
package studio
