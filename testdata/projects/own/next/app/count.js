"use client";
import { useState } from "react";

export default function Count() {
  const [count, set] = useState(1);
  return <button onClick={() => set(count + 1)}>{count}</button>;
}
