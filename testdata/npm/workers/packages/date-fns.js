import { addDays, format, formatDistance, isValid, parseISO } from "date-fns";

export default {
  fetch() {
    const day = parseISO("2026-04-01T00:00:00Z");
    return Response.json({ day: format(addDays(day, 2), "yyyy-MM-dd"), distance: formatDistance(day, addDays(day, 2)), iso: isValid(day) });
  },
};
