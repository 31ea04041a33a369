// PullInto is a buffer that waits to be filled by a byte stream
// (https://streams.spec.whatwg.org/#pull-into-descriptor).

class PullInto {
  constructor(buffer, offset, length, minimum, kind, readerType) {
    this.buffer = buffer;
    this.bufferLength = bufferLength(buffer);
    this.offset = offset;
    this.length = length;
    this.filled = 0;
    this.minimum = minimum;
    this.kind = kind;
    this.elementSize = elementSizes[kind];
    // readerType is 'default', 'byob', or 'none' once the reader has gone.
    this.readerType = readerType;
  }

  become(kind) {
    this.kind = kind;
    this.elementSize = elementSizes[kind];
  }

  // view is the filled part, of the class the reader asked for; a broken element at the end is lost.
  view() {
    return this.viewOf((this.filled - (this.filled % this.elementSize)) / this.elementSize);
  }

  viewOf(length) {
    return new viewClasses[this.kind](this.buffer, this.offset, length);
  }
}
