package import Foundation

/// The system's zlib, loaded at run time.
struct ZLib: @unchecked Sendable {
  /// zlib's `z_stream`, whose layout has been part of its binary interface since 1.0.
  struct Stream {
    var nextIn: UnsafePointer<UInt8>?
    var availableIn: UInt32 = 0
    var totalIn: UInt = 0
    var nextOut: UnsafeMutablePointer<UInt8>?
    var availableOut: UInt32 = 0
    var totalOut: UInt = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    var allocate: OpaquePointer?
    var free: OpaquePointer?
    var opaque: OpaquePointer?
    var dataType: Int32 = 0
    var adler: UInt = 0
    var reserved: UInt = 0
  }

  fileprivate typealias InitialiseInflate =
    @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
  fileprivate typealias InitialiseDeflate =
    @convention(c) (
      UnsafeMutableRawPointer, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>, Int32
    ) -> Int32
  fileprivate typealias Sum = @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt
  fileprivate typealias Combine = @convention(c) (UInt, UInt, Int) -> UInt
  typealias Step = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
  typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int32

  /// The functions for one direction.
  fileprivate struct Way {
    let step: Step
    let reset: Call
    let end: Call
  }

  fileprivate let initialiseInflate: InitialiseInflate
  fileprivate let initialiseDeflate: InitialiseDeflate
  fileprivate let inflate: Way
  fileprivate let deflate: Way
  /// Resets `inflate` but keeps the previous output, to which the next stream may refer.
  fileprivate let inflateResetKeep: Call
  /// Continues a CRC-32 by bytes.
  fileprivate let sum: Sum
  /// Returns the CRC-32 of two texts, from their own ones and the length of the second.
  fileprivate let combine: Combine

  /// The library; `nil` if it is missing.
  static let shared = ZLib()

  private init?() {
    // On Apple platforms the full path is used, because a hardened program finds no library by
    // name.
    let names = ["libz.so.1", "libz.so", "/usr/lib/libz.1.dylib"]
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else { return nil }
    func function<Function>(_ name: String) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    func way(_ name: String) -> Way? {
      guard let step: Step = function(name), let reset: Call = function("\(name)Reset"),
        let end: Call = function("\(name)End")
      else { return nil }
      return Way(step: step, reset: reset, end: end)
    }
    guard let initialiseInflate: InitialiseInflate = function("inflateInit2_"),
      let initialiseDeflate: InitialiseDeflate = function("deflateInit2_"),
      let inflate = way("inflate"), let deflate = way("deflate"),
      let inflateResetKeep: Call = function("inflateResetKeep"),
      let sum: Sum = function("crc32"), let combine: Combine = function("crc32_combine")
    else { return nil }
    (self.initialiseInflate, self.initialiseDeflate) = (initialiseInflate, initialiseDeflate)
    (self.inflate, self.deflate, self.inflateResetKeep) = (inflate, deflate, inflateResetKeep)
    (self.sum, self.combine) = (sum, combine)
  }

  fileprivate static let version = "1.2.11"
  fileprivate static let size = Int32(MemoryLayout<Stream>.size)
}

/// A zlib stream at a fixed address, with its output buffer.
final class ZLibStream {
  private let stream = UnsafeMutablePointer<ZLib.Stream>.allocate(capacity: 1)
  private let way: ZLib.Way
  /// Continues after the end of a stream; `nil` for compression.
  private let goingOn: ZLib.Call?
  /// The output of the last step.
  private(set) var buffer: [UInt8]

  private init?(
    _ way: ZLib.Way,
    _ goingOn: ZLib.Call?,
    room: Int,
    _ begin: (UnsafeMutablePointer<ZLib.Stream>) -> Int32
  ) {
    (self.way, self.goingOn) = (way, goingOn)
    buffer = [UInt8](repeating: 0, count: room)
    stream.initialize(to: ZLib.Stream())
    guard begin(stream) == 0 else { return nil }
  }

  /// Creates a decompressing stream. Negative `windowBits` mean data without a header.
  ///
  /// Returns `nil` if zlib is missing or has not enough memory.
  convenience init?(inflatingWithin windowBits: Int32, room: Int = 16 << 10) {
    guard let zlib = ZLib.shared else { return nil }
    self.init(zlib.inflate, zlib.inflateResetKeep, room: room) { stream in
      zlib.initialiseInflate(stream, windowBits, ZLib.version, ZLib.size)
    }
  }

  /// Creates a compressing stream. Negative `windowBits` mean data without a header.
  ///
  /// The default level is Z_DEFAULT_COMPRESSION. Returns `nil` if zlib is missing or has not enough
  /// memory.
  convenience init?(deflatingWithin windowBits: Int, level: Int = -1, memory: Int = 8) {
    guard let zlib = ZLib.shared else { return nil }
    self.init(zlib.deflate, nil, room: 16 << 10) { stream in
      let (level, bits, memory) = (Int32(level), Int32(windowBits), Int32(memory))
      // Z_DEFLATED, Z_DEFAULT_STRATEGY.
      return zlib.initialiseDeflate(stream, level, 8, bits, memory, 0, ZLib.version, ZLib.size)
    }
  }

  // If the initialisation failed, zlib rejects this call.
  deinit {
    _ = way.end(stream)
    stream.deallocate()
  }

  /// Whether the decompressed data ends at a byte boundary between two blocks.
  ///
  /// `data_type` contains the number of unused bits of the last byte, and 128 between two blocks
  /// (zlib.h).
  var isBetweenBlocks: Bool {
    stream.pointee.dataType & 0x80 != 0 && stream.pointee.dataType & 0x3F == 0
  }

  /// Resets the stream. The rest of the input stays available.
  func reset() { _ = way.reset(stream) }

  /// The input that has not been consumed.
  var rest: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: stream.pointee.nextIn, count: Int(stream.pointee.availableIn))
  }

  /// Sets the input of the stream while `body` runs; returns `nil` for 4 GiB and more.
  func feed<Result>(_ input: Data, _ body: () -> Result) -> Result? {
    input.withUnsafeBytes { bytes in
      guard let count = UInt32(exactly: bytes.count) else { return nil }
      stream.pointee.nextIn = bytes.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.availableIn = count
      defer { stream.pointee.nextIn = nil }
      return body()
    }
  }

  /// Processes input until the buffer is full.
  ///
  /// - Returns: zlib's status, and the number of bytes in the buffer.
  func next(flush: Int32 = 0) -> (result: Int32, count: Int) {
    buffer.withUnsafeMutableBufferPointer { out in
      stream.pointee.nextOut = out.baseAddress
      stream.pointee.availableOut = UInt32(out.count)
      return (way.step(stream, flush), out.count - Int(stream.pointee.availableOut))
    }
  }

  /// Processes the whole input, and passes the output to `take` in pieces until it returns `false`.
  ///
  /// - Returns: `false` if the input is damaged or has 4 GiB or more, or if `take` returned
  ///   `false`.
  func run(_ input: Data, flush: Int32, _ take: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    let isDone = feed(input) { () -> Bool in
      while true {
        let (result, count) = next(flush: flush)
        guard buffer.withUnsafeBufferPointer({ take(UnsafeBufferPointer(rebasing: $0[..<count])) })
        else { return false }
        switch result {
        // Z_STREAM_END: another stream may follow, for example after a final block (RFC 7692
        // §7.2.3.5).
        case 1: _ = goingOn?(stream)
        // Z_BUF_ERROR: no progress is possible without more input.
        case -5 where count == 0: return true
        case 0: break
        default: return false
        }
        // If the buffer is full, more output may be pending.
        if count < buffer.count, rest.isEmpty { return true }
      }
    }
    return isDone ?? false
  }
}

/// Gzip data with one piece of content many times (RFC 1951, RFC 1952).
package enum RepeatedGzip {
  /// Returns the data of `first`, `piece` in the given number, and `last`; `nil` if zlib is missing
  /// or has not enough memory.
  ///
  /// Each piece is compressed alone, up to a byte boundary, so it is compressed only once.
  package static func data(_ first: Data, _ piece: Data, times: Int, _ last: Data) -> Data? {
    guard let zlib = ZLib.shared else { return nil }
    func block(_ content: Data, flush: Int32) -> Data? {
      var block = Data()
      let isDone = ZLibStream(deflatingWithin: -15)?.run(content, flush: flush) {
        block.append($0)
        return true
      }
      return isDone == true ? block : nil
    }
    func sum(_ content: Data) -> UInt {
      content.withUnsafeBytes { bytes in
        zlib.sum(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
      }
    }
    // 2: Z_SYNC_FLUSH. 4: Z_FINISH.
    guard let begin = block(first, flush: 2), let middle = block(piece, flush: 2),
      let end = block(last, flush: 4)
    else { return nil }
    var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) + begin
    var whole = sum(first)
    let own = sum(piece)
    for _ in 0..<times {
      data += middle
      whole = zlib.combine(whole, own, piece.count)
    }
    whole = zlib.combine(whole, sum(last), last.count)
    data += end
    for number in [whole, UInt(first.count + times * piece.count + last.count)] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) {
        data.append(contentsOf: $0)
      }
    }
    return data
  }
}
