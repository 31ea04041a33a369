// Matchers of mocks (TEST-93, TEST-103).
(function (v) {
  "use strict";
  const { method } = v;
  function define(names, fn) {
    for (const n of [].concat(names)) method(n, fn);
  }

  function spyOf(assertion) {
    const x = assertion._obj;
    if (!v.isMock(x)) throw new TypeError(`${v.inspect(x)} is not a spy or a call to a spy!`);
    return x;
  }
  const nth = (n) => {
    const j = n % 10,
      k = n % 100;
    return `${n}${j === 1 && k !== 11 ? "st" : j === 2 && k !== 12 ? "nd" : j === 3 && k !== 13 ? "rd" : "th"}`;
  };
  const same = (a, b) => v.equals(a, b, [v.iterableEquality]);
  const times = (n) => `${n} times`;

  function calls(spy, message, shown) {
    return received(
      spy,
      message,
      spy.mock.calls.map(
        (args, i) => `  ${nth(i + 1)} ${spy.getMockName()} call:\n\n${v.diffText(shown, args, true)}\n`,
      ),
    );
  }
  function returns(spy, message, results, shown) {
    return received(
      spy,
      message,
      results.map(
        (r, i) => `  ${nth(i + 1)} ${spy.getMockName()} call return:\n\n${v.diffText(shown, r.value, true)}\n`,
      ),
    );
  }
  const received = (spy, message, list) => {
    const calls = list.length > 0 ? `\n\nReceived:\n\n${list.join("\n")}` : "";
    return `${message}${calls}\n\nNumber of calls: ${spy.mock.calls.length}\n`;
  };

  define(["toHaveBeenCalledTimes", "toBeCalledTimes"], function (n) {
    const spy = spyOf(this),
      name = spy.getMockName(),
      count = spy.mock.calls.length;
    this.assert(
      count === n,
      `expected "${name}" to be called #{exp} times, but got ${times(count)}`,
      `expected "${name}" to not be called #{exp} times`,
      n,
      count,
      false,
    );
  });
  define("toHaveBeenCalledOnce", function () {
    const spy = spyOf(this),
      name = spy.getMockName(),
      count = spy.mock.calls.length;
    this.assert(
      count === 1,
      `expected "${name}" to be called once, but got ${times(count)}`,
      `expected "${name}" to not be called once`,
      1,
      count,
      false,
    );
  });
  define(["toHaveBeenCalled", "toBeCalled"], function () {
    const spy = spyOf(this),
      name = spy.getMockName(),
      count = spy.mock.calls.length;
    this.assert(
      count > 0,
      `expected "${name}" to be called at least once`,
      () =>
        `expected "${name}" to not be called at all, but actually been called ${times(count)}` +
        `\n\nReceived:\n\n${spy.mock.calls
          .map(
            (args, i) =>
              `  ${nth(i + 1)} ${name} call:\n\n    ` +
                  `${v.stringify(args, { printBasicPrototype: true }).replaceAll("\n", "\n    ")}\n`,
          )
          .join("\n")}\n\nNumber of calls: ${count}\n`,
      true,
      count,
      false,
    );
  });
  define(["toHaveBeenCalledWith", "toBeCalledWith"], function (...args) {
    const spy = spyOf(this),
      name = spy.getMockName();
    const pass = spy.mock.calls.some((c) => same(c, args));
    this.assert(
      pass,
      () => calls(spy, `expected "${name}" to be called with arguments: ${v.display(args)}`, args),
      () => calls(spy, `expected "${name}" to not be called with arguments: ${v.display(args)}`, args),
      args,
      spy.mock.calls.at(-1),
      false,
    );
  });
  define("toHaveBeenCalledExactlyOnceWith", function (...args) {
    const spy = spyOf(this),
      name = spy.getMockName(),
      count = spy.mock.calls.length;
    this.assert(
      count === 1 && same(spy.mock.calls[0], args),
      () => calls(spy, `expected "${name}" to be called once with arguments: ${v.display(args)}`, args),
      () => calls(spy, `expected "${name}" to not be called once with arguments: ${v.display(args)}`, args),
      args,
      spy.mock.calls[0],
      false,
    );
  });
  define(["toHaveBeenNthCalledWith", "nthCalledWith"], function (n, ...args) {
    const spy = spyOf(this),
      name = spy.getMockName(),
      call = spy.mock.calls[n - 1],
      count = spy.mock.calls.length;
    this.assert(
      call !== undefined && same(call, args),
      `expected ${nth(n)} "${name}" call to have been called with ` +
          `#{exp}${n <= count ? "" : `, but called only ${times(count)}`}`,
      `expected ${nth(n)} "${name}" call to not have been called with #{exp}`,
      args,
      call,
      n <= count,
    );
  });
  define(["toHaveBeenLastCalledWith", "lastCalledWith"], function (...args) {
    const spy = spyOf(this),
      name = spy.getMockName(),
      last = spy.mock.calls.at(-1);
    this.assert(
      last !== undefined && same(last, args),
      `expected last "${name}" call to have been called with #{exp}`,
      `expected last "${name}" call to not have been called with #{exp}`,
      args,
      last,
    );
  });
  const before = {
    toHaveBeenCalledBefore: ["before", (a, b) => a[0] < b.at(-1)],
    toHaveBeenCalledAfter: ["after", (a, b) => a.at(-1) > b[0]],
  };
  for (const [name, [word, test]] of Object.entries(before))
    define(name, function (other, failIfNone = true) {
      const spy = spyOf(this);
      if (!v.isMock(other)) throw new TypeError(`${v.inspect(other)} is not a spy or a call to a spy`);
      const a = spy.mock.invocationCallOrder,
        b = other.mock.invocationCallOrder;
      const pass = a.length === 0 ? !failIfNone : b.length === 0 ? false : test(a, b);
      this.assert(
        pass,
        `expected "${spy.getMockName()}" to have been called ${word} "${other.getMockName()}"`,
        `expected "${spy.getMockName()}" to not have been called ${word} "${other.getMockName()}"`,
        undefined,
        undefined,
        false,
      );
    });

  const kinds = {
    Return: {
      done: "returned",
      word: "return",
      list: (s) => s.mock.results.filter((r) => r.type === "return"),
      all: (s) => s.mock.results,
    },
    Resolve: {
      done: "resolved",
      word: "resolve",
      list: (s) => s.mock.settledResults.filter((r) => r.type === "fulfilled"),
      all: (s) => s.mock.settledResults,
    },
  };
  for (const [kind, k] of Object.entries(kinds)) {
    const past = kind === "Return" ? "Returned" : "Resolved";
    const alias = (own, jest) => (kind === "Return" ? [own, jest] : [own]);
    define(alias(`toHave${past}`, "toReturn"), function () {
      const spy = spyOf(this),
        name = spy.getMockName();
      this.assert(
        k.list(spy).length > 0,
        `expected "${name}" to be successfully ${k.word === "return" ? "called" : "resolved"} at least once`,
        `expected "${name}" to not be successfully ${k.word === "return" ? "called" : "resolved"}`,
        true,
        k.list(spy).length,
        false,
      );
    });
    define(alias(`toHave${past}Times`, "toReturnTimes"), function (n) {
      const spy = spyOf(this),
        name = spy.getMockName(),
        count = k.list(spy).length;
      this.assert(
        count === n,
        `expected "${name}" to be successfully ${k.word === "return" ? "called" : "resolved"} ${times(n)}`,
        `expected "${name}" to not be successfully ${k.word === "return" ? "called" : "resolved"} ${times(n)}`,
        `expected number of returns: ${n}`,
        `received number of returns: ${count}`,
        false,
      );
    });
    define(alias(`toHave${past}With`, "toReturnWith"), function (value) {
      const spy = spyOf(this),
        name = spy.getMockName();
      this.assert(
        k.list(spy).some((r) => same(r.value, value)),
        () =>
          returns(spy, `expected "${name}" to ${k.word} with: ${v.display(value)} at least once`, k.all(spy), value),
        () => returns(spy, `expected "${name}" to not ${k.word} with: ${v.display(value)}`, k.all(spy), value),
        value,
        undefined,
        false,
      );
    });
    define(alias(`toHaveLast${past}With`, "lastReturnedWith"), function (value) {
      const spy = spyOf(this),
        name = spy.getMockName(),
        last = k.all(spy).at(-1);
      this.assert(
        last && last.type !== "throw" && last.type !== "rejected" && same(last.value, value),
        `expected last "${name}" call to ${k.word} #{exp}`,
        `expected last "${name}" call to not ${k.word} #{exp}`,
        value,
        last?.value,
      );
    });
    define(alias(`toHaveNth${past}With`, "nthReturnedWith"), function (n, value) {
      const spy = spyOf(this),
        name = spy.getMockName(),
        r = k.all(spy)[n - 1];
      this.assert(
        r && r.type !== "throw" && r.type !== "rejected" && same(r.value, value),
        `expected ${nth(n)} call "${name}" call to ${k.word} #{exp}`,
        `expected ${nth(n)} "${name}" call to not ${k.word} #{exp}`,
        value,
        r?.value,
      );
    });
  }

  // Sinon's words on chai's chains.
  const words = {
    called: "toHaveBeenCalled",
    calledOnce: "toHaveBeenCalledOnce",
    returned: "toHaveReturned",
  };
  for (const [word, name] of Object.entries(words))
    v.property(word, function () {
      return this[name]();
    });
  for (const [word, n] of [
    ["calledTwice", 2],
    ["calledThrice", 3],
  ])
    v.property(word, function () {
      return this.toHaveBeenCalledTimes(n);
    });
  for (const [word, name] of Object.entries({
    callCount: "toHaveBeenCalledTimes",
    calledWith: "toHaveBeenCalledWith",
    calledOnceWith: "toHaveBeenCalledExactlyOnceWith",
    returnedWith: "toHaveReturnedWith",
    returnedTimes: "toHaveReturnedTimes",
    lastReturnedWith: "toHaveLastReturnedWith",
    calledBefore: "toHaveBeenCalledBefore",
    calledAfter: "toHaveBeenCalledAfter",
  }))
    v.method(word, function (...args) {
      return this[name](...args);
    });
});
