export default () => <h1>nothing here</h1>;
