import "./app.css";

export const metadata = { title: "Notes" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
