package intl

import (
	"strings"
	"time"
)

// zoneInfo is a time zone at an instant. short and long are en-US names, empty where CLDR has none for English.
type zoneInfo struct {
	offset      int // seconds east of UTC
	short, long string
}

// canonicalZone checks a name, in any case, and returns it as the database spells it.
func canonicalZone(name string) (string, bool) {
	switch strings.ToUpper(name) {
	case "UTC", "GMT", "ETC/UTC", "ETC/GMT", "Z", "ETC/UCT", "ETC/ZULU", "UCT", "ZULU":
		if strings.ToUpper(name) == "Z" {
			return "", false
		}
		return "UTC", true
	case "", "LOCAL":
		return "", false
	}
	if name[0] == '+' || name[0] == '-' {
		return offsetZone(name)
	}
	for _, n := range []string{name, titleZone(name)} {
		if _, err := time.LoadLocation(n); err == nil {
			return n, true
		}
	}
	return "", false
}

func offsetZone(name string) (string, bool) {
	digits := strings.ReplaceAll(name[1:], ":", "")
	if len(digits) == 2 {
		digits += "00"
	}
	if len(digits) != 4 || strings.Trim(digits, "0123456789") != "" || digits[:2] > "23" || digits[2:] > "59" {
		return "", false
	}
	return name[:1] + digits[:2] + ":" + digits[2:], true
}

// titleZone spells america/new_york as America/New_York.
func titleZone(name string) string {
	b := []byte(strings.ToLower(name))
	up := true
	for i, c := range b {
		if up && c >= 'a' && c <= 'z' {
			b[i] -= 32
		}
		up = c == '/' || c == '_' || c == '-'
	}
	return strings.NewReplacer(
		"_Of_", "_of_", "_Au_", "_au_", "_Es_", "_es_", "-Es-", "-es-", "Mcmurdo", "McMurdo").Replace(string(b))
}

func zoneAt(name string, t time.Time) zoneInfo {
	if name == "UTC" {
		return zoneInfo{0, "UTC", "Coordinated Universal Time"}
	}
	if name[0] == '+' || name[0] == '-' {
		var h, m int
		h = int(name[1]-'0')*10 + int(name[2]-'0')
		m = int(name[4]-'0')*10 + int(name[5]-'0')
		off := h*3600 + m*60
		if name[0] == '-' {
			off = -off
		}
		return zoneInfo{offset: off}
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return zoneInfo{}
	}
	abbr, off := t.In(loc).Zone()
	z := zoneInfo{offset: off}
	area, _, _ := strings.Cut(name, "/")
	if n, ok := zoneText[area+" "+abbr]; ok {
		z.long = n
		if area == "America" || area == "Pacific" && abbr == "HST" || area == "US" {
			z.short = abbr
		}
	}
	if area == "Europe" && off == 0 && abbr == "GMT" || abbr == "GMT" && area == "Africa" {
		z.short = "GMT"
	}
	return z
}

// zoneText are English names of zones by area and abbreviation.
var zoneText = map[string]string{
	"America EST": "Eastern Standard Time", "America EDT": "Eastern Daylight Time",
	"America CST": "Central Standard Time",
	"America CDT": "Central Daylight Time", "America MST": "Mountain Standard Time",
	"America MDT": "Mountain Daylight Time",
	"America PST": "Pacific Standard Time", "America PDT": "Pacific Daylight Time",
	"America AKST": "Alaska Standard Time",
	"America AKDT": "Alaska Daylight Time", "America AST": "Atlantic Standard Time",
	"America ADT": "Atlantic Daylight Time",
	"America NST": "Newfoundland Standard Time", "America NDT": "Newfoundland Daylight Time",
	"Pacific HST": "Hawaii-Aleutian Standard Time",
	"Europe CET":  "Central European Standard Time", "Europe CEST": "Central European Summer Time",
	"Europe GMT": "Greenwich Mean Time",
	"Europe BST": "British Summer Time", "Europe IST": "Irish Standard Time",
	"Europe WET":  "Western European Standard Time",
	"Europe WEST": "Western European Summer Time", "Europe EET": "Eastern European Standard Time",
	"Europe EEST": "Eastern European Summer Time",
	"Europe MSK":  "Moscow Standard Time", "Asia JST": "Japan Standard Time", "Asia KST": "Korean Standard Time",
	"Asia IST": "India Standard Time",
	"Asia CST": "China Standard Time", "Asia HKT": "Hong Kong Standard Time", "Asia PKT": "Pakistan Standard Time",
	"Asia WIB":       "Western Indonesia Time",
	"Australia AEST": "Australian Eastern Standard Time", "Australia AEDT": "Australian Eastern Daylight Time",
	"Australia ACST": "Australian Central Standard Time",
	"Australia ACDT": "Australian Central Daylight Time", "Australia AWST": "Australian Western Standard Time",
	"Pacific NZST": "New Zealand Standard Time",
	"Pacific NZDT": "New Zealand Daylight Time", "Africa SAST": "South Africa Standard Time",
	"Africa EAT": "East Africa Time", "Africa WAT": "West Africa Standard Time",
	"Africa CAT": "Central Africa Time", "Africa GMT": "Greenwich Mean Time",
}

// zoneNames are the zones that supportedValuesOf lists: the usual ones.
func zoneNames() []string {
	return []string{
		"Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos", "Africa/Nairobi", "America/Anchorage",
		"America/Argentina/Buenos_Aires", "America/Bogota",
		"America/Chicago", "America/Denver", "America/Halifax", "America/Lima", "America/Los_Angeles",
		"America/Mexico_City", "America/New_York",
		"America/Phoenix", "America/Santiago", "America/Sao_Paulo", "America/St_Johns", "America/Toronto",
		"America/Vancouver", "Asia/Bangkok",
		"Asia/Calcutta", "Asia/Dhaka", "Asia/Dubai", "Asia/Hong_Kong", "Asia/Jakarta", "Asia/Jerusalem", "Asia/Karachi",
		"Asia/Manila", "Asia/Saigon",
		"Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Taipei", "Asia/Tehran", "Asia/Tokyo",
		"Atlantic/Reykjavik", "Australia/Adelaide",
		"Australia/Brisbane", "Australia/Melbourne", "Australia/Perth", "Australia/Sydney", "Europe/Amsterdam",
		"Europe/Athens", "Europe/Berlin",
		"Europe/Brussels", "Europe/Copenhagen", "Europe/Dublin", "Europe/Helsinki", "Europe/Istanbul", "Europe/Kiev",
		"Europe/Lisbon", "Europe/London",
		"Europe/Madrid", "Europe/Moscow", "Europe/Oslo", "Europe/Paris", "Europe/Prague", "Europe/Rome",
		"Europe/Stockholm", "Europe/Vienna",
		"Europe/Warsaw", "Europe/Zurich", "Pacific/Auckland", "Pacific/Honolulu", "UTC",
	}
}
