package mask

import (
	"strings"

	"sotto/study/language"
)

// What pseudonyms are made of. First names are ones that women and men have;
// surnames, towns and firms are put together from parts, so that they are seldom
// anybody's.
var (
	first = strings.Fields(`Addison Adrian Alex Angel Ariel Ash Aubrey Avery Bailey
Blair Blake Brook Cameron Carey Casey Charlie Chris Corey Dakota Dana Darcy Devon
Drew Eden Elliot Ellis Emerson Finley Francis Frankie Gray Harley Harper Hayden
Hollis Indigo Jamie Jaden Jean Jessie Jordan Jules Kai Kelly Kendall Kerry Kim
Kit Lane Lee Leslie Logan Lou Lynn Marley Max Micah Morgan Nicky Noel Oakley
Parker Pat Payton Quinn Reese Remy Riley River Robin Rory Rowan Sage Sam Sandy
Sasha Shannon Shay Shelby Sidney Skyler Stevie Sterling Tatum Taylor Terry Toby
Tracy Val Wynn`)
	root = strings.Fields(`Alder Ash Barn Beck Birch Black Bram Brook Cald Carr Chal
Cole Cran Croft Dale Dun East Elm Fair Farn Fen Ford Gar Glen Gran Hale Hart Hazel
Heath Hol Holm Kel Kirk Lang Lark Lin Lock Mar Mel Mill Moor Nor North Oak Over
Pen Pem Quin Rad Red Ros Rush Sedge Shaw Sher Stan Stone Sutter Thorn Tren
Wake Wal West Whit Win Wood Wren Yar`)
	surname = strings.Fields(`bourne bridge brook bury by combe cott dale den dyke
field ford gate grove ham hurst land lake leigh ley low man mere more ridge
shaw side stead stock stone ton well wick wood worth`)
	town  = strings.Fields(`bay bourne bridge bury by cliff combe dale field ford gate ham haven hill holm hurst marsh mere minster mouth port sea stead thorpe ton vale water well wick worth`)
	trade = strings.Fields(`Associates Company Foundation Group Holdings Institute Partners Society Systems Trust Union Works`)
	way   = strings.Fields(`Avenue Close Court Crescent Gardens Lane Road Street Terrace Way`)
)

// plain are words of what is made up that a text may have, too.
var plain = []string{
	"associates", "company", "foundation", "group", "holdings", "institute", "partners", "society", "systems", "trust", "union", "works",
	"avenue", "close", "court", "crescent", "gardens", "lane", "road", "street", "terrace", "way",
	"example", "http", "https", "test",
}

// surname returns a family name.
func (d *draw) surname() string { return d.of(root) + d.of(surname) }

// invented returns the name of a firm or of a place that there is not.
func (d *draw) invented(t language.Type) string {
	if t == language.Organisation {
		return d.surname() + " " + d.of(trade)
	}
	return d.of(root) + d.of(town)
}

// street returns a number and a street.
func (d *draw) street() string {
	number := []byte{byte('1' + d.below(9)), d.digit()}
	return string(number) + " " + d.of(root) + d.of(surname) + " " + d.of(way)
}
