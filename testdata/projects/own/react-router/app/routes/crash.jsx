export function loader() {
  throw new Error("a crash");
}

export default () => <p>never seen</p>;
