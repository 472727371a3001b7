package personal

// A context is something that words nearby speak for, such as that a number is
// of a phone.
type context int

// The contexts.
const (
	aboutPhone context = iota
	aboutCard
	aboutSSN
	aboutBirth
	aboutPassport
	aboutLicence
	aboutPlate
	aboutAccount
	aboutPostcode
	aboutUser
	aboutIdentity
	aboutAge
	aboutYear
	contexts int = iota
)

// never is where a word ended that was not seen.
const never = -1 << 30

// near reports whether a word that speaks for c ended at most so many bytes
// before i.
func (sc *scanner) near(c context, i, bytes int) bool { return i-sc.seen[c] <= bytes }

// nearby is how far a word may stand from what it speaks for.
const nearby = 48

// title looks at a word that may stand before a name.
func (sc *scanner) title(i, j int, word []byte) {
	if len(word) < 2 || len(word) > 4 {
		return
	}
	switch string(word) {
	case "mr", "mrs", "ms", "miss", "dr", "prof", "mx":
	default:
		return
	}
	end := j
	if sc.at(end) == '.' {
		end++
	}
	if sc.at(end) == ' ' && isAlpha(sc.at(end+1)) && (isUpper(sc.s[i]) && !isUpper(sc.at(i+1)) || end > j) {
		sc.add(Title, "", i, end, likely)
	}
}

// context remembers what the word that ends at j speaks for.
func (sc *scanner) context(word []byte, j int) {
	switch string(word) {
	case "phone", "tel", "telephone", "call", "calls", "called", "calling", "mobile", "cell", "cellphone", "fax",
		"whatsapp", "dial", "ring", "sms", "telefon", "handy", "mobil", "téléphone", "teléfono", "teléfonos",
		"reach", "answering", "text", "contact", "messages", "registered", "hotline", "phones", "ph", "mob":
		sc.seen[aboutPhone] = j
	case "card", "cards", "cc", "visa", "mastercard", "amex", "credit", "debit", "maestro", "karte", "carte", "tarjeta":
		sc.seen[aboutCard] = j
	case "ssn", "social", "sozialversicherung":
		sc.seen[aboutSSN] = j
	case "born", "birth", "dob", "birthday", "birthdate", "geboren", "geburtsdatum", "né", "née", "nacido", "nacida":
		sc.seen[aboutBirth] = j
	case "passport", "reisepass", "passeport", "pasaporte", "passaporto":
		sc.seen[aboutPassport] = j
	case "license", "licence", "driver", "drivers", "driving", "führerschein", "permis", "dl":
		sc.seen[aboutLicence] = j
	case "plate", "plates", "registration", "kennzeichen", "immatriculation", "matrícula", "targa", "vrn":
		sc.seen[aboutPlate] = j
	case "account", "acct", "konto", "kontonummer", "routing", "sort", "bank", "iban", "compte", "cuenta":
		sc.seen[aboutAccount] = j
	case "zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cap", "eircode":
		sc.seen[aboutPostcode] = j
	case "username", "login", "userid", "nick", "nickname", "handle", "screenname", "user", "account_name":
		sc.seen[aboutUser] = j
	case "nino", "insurance", "nhs", "cpf", "dni", "nie", "bsn", "pesel", "identity", "id", "tax", "tin", "itin",
		"nif", "sin", "tfn", "aadhaar", "personnummer", "steuernummer", "ausweis", "national", "codice", "fiscal",
		"steuer", "sozialversicherungsnummer", "ahv", "avs", "burgerservicenummer", "rut", "curp", "svnr", "medicare":
		sc.seen[aboutIdentity] = j
	case "age", "aged", "turned", "turn", "turns", "turning", "alter":
		sc.seen[aboutAge] = j
	case "in", "since", "during", "of", "from", "until", "by", "year", "before", "after", "seit", "depuis":
		sc.seen[aboutYear] = j
	}
}
