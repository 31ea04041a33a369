package dialect

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// formats are what FORMAT knows; JSON is the one without it.
var formats = []string{"JSONEachRow", "JSON", "TabSeparated"}

// Columns are the names of the columns.
func (a *Answer) Columns() (names []string) {
	for _, c := range a.columns {
		names = append(names, c.name)
	}
	return names
}

// Texts are the values as a person reads them.
func (a *Answer) Texts() [][]string {
	rows := make([][]string, len(a.rows))
	for i, row := range a.rows {
		for j, v := range row {
			rows[i] = append(rows[i], a.columns[j].kind.text(v))
		}
	}
	return rows
}

// Write is the answer in the statement's format, with its content type.
func (a *Answer) Write() (contentType string, body []byte, err error) {
	var b bytes.Buffer
	switch a.Format {
	case "TabSeparated":
		escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`,
			"\f", `\f`)
		for _, row := range a.Texts() {
			for i, text := range row {
				row[i] = escape.Replace(text)
			}
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
		return "text/tab-separated-values; charset=UTF-8", b.Bytes(), nil
	case "JSONEachRow":
		for _, row := range a.rows {
			if err := a.object(&b, row); err != nil {
				return "", nil, err
			}
			b.WriteByte('\n')
		}
		return "application/x-ndjson", b.Bytes(), nil
	}
	b.WriteString(`{"meta":[`)
	for i, c := range a.columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":` + jsonText(c.name) + `,"type":` + jsonText(c.kind.String()) + `}`)
	}
	b.WriteString(`],"data":[`)
	for i, row := range a.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := a.object(&b, row); err != nil {
			return "", nil, err
		}
	}
	b.WriteString(`],"rows":` + strconv.Itoa(len(a.rows)) + `}`)
	return "application/json", b.Bytes(), nil
}

func jsonText(s string) string {
	b, _ := json.Marshal(strings.ToValidUTF8(s, "\uFFFD")) // a text always encodes
	return string(b)
}

func (a *Answer) object(b *bytes.Buffer, row []any) error {
	b.WriteByte('{')
	for i, v := range row {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(a.columns[i].name) + ":")
		a.columns[i].kind.json(b, v)
	}
	b.WriteByte('}')
	return nil
}

// json writes a value: integers of 64 bits as texts, what is no number as null.
func (k kind) json(b *bytes.Buffer, v any) {
	switch x, _ := v.(float64); {
	case k.name == "Array":
		list, _ := v.([]any)
		b.WriteByte('[')
		for i, e := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			k.of.json(b, e)
		}
		b.WriteByte(']')
	case k.name == "Float64" && (math.IsNaN(x) || math.IsInf(x, 0)):
		b.WriteString("null")
	case k.name == "Float64", k.name == "Bool", k.integer() && k.bits() < 64:
		b.WriteString(k.text(v))
	default:
		b.WriteString(jsonText(k.text(v)))
	}
}

// zones are what SHOW TIMEZONES lists: the common ones; every name of the IANA database is understood.
var zones = strings.Fields(`Africa/Cairo Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Anchorage
	America/Argentina/Buenos_Aires America/Bogota America/Chicago America/Denver America/Halifax America/Lima
	America/Los_Angeles America/Mexico_City America/New_York America/Phoenix America/Santiago America/Sao_Paulo
	America/St_Johns America/Toronto America/Vancouver Asia/Baghdad Asia/Bangkok Asia/Dhaka Asia/Dubai Asia/Hong_Kong
	Asia/Jakarta Asia/Jerusalem Asia/Karachi Asia/Kathmandu Asia/Kolkata Asia/Kuala_Lumpur Asia/Manila Asia/Riyadh
	Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Taipei Asia/Tehran Asia/Tokyo Atlantic/Azores Atlantic/Reykjavik
	Australia/Adelaide Australia/Brisbane Australia/Melbourne Australia/Perth Australia/Sydney Etc/UTC Europe/Amsterdam
	Europe/Athens Europe/Berlin Europe/Brussels Europe/Bucharest Europe/Dublin Europe/Helsinki Europe/Istanbul
	Europe/Kyiv Europe/Lisbon Europe/London Europe/Madrid Europe/Moscow Europe/Oslo Europe/Paris Europe/Prague
	Europe/Rome Europe/Stockholm Europe/Vienna Europe/Warsaw Europe/Zurich Pacific/Auckland Pacific/Honolulu UTC`)
