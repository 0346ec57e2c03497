// The amount of reading that code does, counted in debug builds. Tests compare the count for a text
// with the count for a text four times as long; the result is the same on every machine. In release
// builds bytes are arrays, and nothing is counted. No other file differs between the two.

#if DEBUG
  internal import CWindTunnelSystem

  /// The work of the current thread: the bytes that it has read, and other steps.
  package enum Work {
    /// The work of this thread since it began.
    package static var done: Int { wt_work_add(0) }

    /// Counts bytes that are read, or other steps.
    package static func read(_ count: Int) { _ = wt_work_add(count) }
  }

  extension StringProtocol {
    /// The same text; all its bytes are counted as read.
    package var read: Self {
      Work.read(utf8.count)
      return self
    }
  }

  /// Bytes that count every access. Detectors and codecs use this type, so new loops in them are
  /// counted, too.
  package struct Bytes: RandomAccessCollection, RangeReplaceableCollection {
    private var array: [UInt8] = []

    package init() {}
    package init(_ array: [UInt8]) { self.array = array }
    package var startIndex: Int { 0 }
    package var endIndex: Int { array.count }
    package var count: Int { array.count }
    package func index(after place: Int) -> Int { place + 1 }
    package func formIndex(after place: inout Int) { place += 1 }
    package subscript(place: Int) -> UInt8 { array[wt_work_step(place)] }
    package subscript(range: Range<Int>) -> ByteSlice { ByteSlice(array[range]) }
    package mutating func append(_ byte: UInt8) { array.append(byte) }
    package mutating func append(contentsOf bytes: some Sequence<UInt8>) { array += bytes }

    package mutating func replaceSubrange(_ range: Range<Int>, with bytes: some Collection<UInt8>) {
      array.replaceSubrange(wt_work_step(range.lowerBound)..<range.upperBound, with: bytes)
    }

    package func withContiguousStorageIfAvailable<Result>(
      _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try self[...].withContiguousStorageIfAvailable(body) }

    /// Calls a function with these bytes, because accesses through a pointer would not be counted.
    package func withUnsafeBufferPointer<R>(_ body: (Bytes) throws -> R) rethrows -> R {
      try body(self)
    }
  }

  /// A part of ``Bytes``.
  package struct ByteSlice: RandomAccessCollection, RangeReplaceableCollection {
    private var array: ArraySlice<UInt8> = []

    package init() {}
    fileprivate init(_ array: ArraySlice<UInt8>) { self.array = array }
    package var startIndex: Int { array.startIndex }
    package var endIndex: Int { array.endIndex }
    package var count: Int { array.count }
    package func index(after place: Int) -> Int { place + 1 }
    package func formIndex(after place: inout Int) { place += 1 }
    package subscript(place: Int) -> UInt8 { array[wt_work_step(place)] }
    package subscript(range: Range<Int>) -> ByteSlice { ByteSlice(array[range]) }

    package mutating func replaceSubrange(_ range: Range<Int>, with bytes: some Collection<UInt8>) {
      array.replaceSubrange(range, with: bytes)
    }

    package func withContiguousStorageIfAvailable<Result>(
      _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
      Work.read(count)
      return try array.withContiguousStorageIfAvailable(body)
    }
  }

  extension Bytes: ExpressibleByArrayLiteral, Equatable, Sendable {
    package init(arrayLiteral elements: UInt8...) { array = elements }

    package static func == (one: Bytes, other: Bytes) -> Bool {
      one.count == other.count && one.elementsEqual(other)
    }
  }
#else
  package enum Work {
    @inlinable @inline(__always) package static func read(_ count: @autoclosure () -> Int) {}
  }

  extension StringProtocol {
    @inlinable @inline(__always) package var read: Self { self }
  }

  package typealias Bytes = [UInt8]
  package typealias ByteSlice = ArraySlice<UInt8>
#endif
