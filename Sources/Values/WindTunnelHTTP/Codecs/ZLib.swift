internal import Foundation

/// The system's zlib, found at run time.
struct ZLib: @unchecked Sendable {
  /// zlib's `z_stream`, whose layout is part of its binary interface since 1.0.
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
  typealias Step = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
  typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int32

  /// The functions that messages of a WebSocket need beside it, and an old library may not have.
  struct Messages {
    fileprivate let initialiseDeflate: InitialiseDeflate
    let inflateReset: Call
    /// Like `inflateReset`, but for what came before, to which the next stream may refer.
    let inflateResetKeep: Call
    let deflate: Step
    let deflateReset: Call
    let deflateEnd: Call

    fileprivate init?(_ library: UnsafeMutableRawPointer) {
      guard let initialise = dlsym(library, "deflateInit2_"),
        let inflateReset = dlsym(library, "inflateReset"),
        let inflateResetKeep = dlsym(library, "inflateResetKeep"),
        let deflate = dlsym(library, "deflate"), let deflateReset = dlsym(library, "deflateReset"),
        let deflateEnd = dlsym(library, "deflateEnd")
      else { return nil }
      initialiseDeflate = unsafeBitCast(initialise, to: InitialiseDeflate.self)
      self.inflateReset = unsafeBitCast(inflateReset, to: Call.self)
      self.inflateResetKeep = unsafeBitCast(inflateResetKeep, to: Call.self)
      self.deflate = unsafeBitCast(deflate, to: Step.self)
      self.deflateReset = unsafeBitCast(deflateReset, to: Call.self)
      self.deflateEnd = unsafeBitCast(deflateEnd, to: Call.self)
    }
  }

  private let initialiseInflate: InitialiseInflate
  let inflate: Step
  let inflateEnd: Call
  let messages: Messages?

  /// The library; `nil` where there is none.
  static let shared = ZLib()

  private init?() {
    // By its place on Apple platforms, where a hardened program finds none by name.
    let names = ["libz.so.1", "libz.so", "/usr/lib/libz.1.dylib"]
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
      let initialise = dlsym(library, "inflateInit2_"), let inflate = dlsym(library, "inflate"),
      let inflateEnd = dlsym(library, "inflateEnd")
    else { return nil }
    initialiseInflate = unsafeBitCast(initialise, to: InitialiseInflate.self)
    self.inflate = unsafeBitCast(inflate, to: Step.self)
    self.inflateEnd = unsafeBitCast(inflateEnd, to: Call.self)
    messages = Messages(library)
  }

  fileprivate static let version = "1.2.11"
  fileprivate static let size = Int32(MemoryLayout<Stream>.size)

  /// Processes input until the buffer is full.
  ///
  /// - Returns: The status of zlib, and the number of bytes in the buffer.
  static func run(
    _ step: Step,
    _ stream: UnsafeMutablePointer<Stream>,
    flush: Int32 = 0,
    into buffer: inout [UInt8]
  ) -> (result: Int32, count: Int) {
    buffer.withUnsafeMutableBufferPointer { out in
      stream.pointee.nextOut = out.baseAddress
      stream.pointee.availableOut = UInt32(out.count)
      return (step(stream, flush), out.count - Int(stream.pointee.availableOut))
    }
  }

  /// Begins to inflate; the stream must not move from then on. Negative bits: without a header.
  func beginInflate(_ stream: UnsafeMutablePointer<Stream>, windowBits: Int32) -> Bool {
    initialiseInflate(stream, windowBits, Self.version, Self.size) == 0
  }
}

/// A stream of zlib's without a header, at a place of its own, with the room for its output.
final class ZLibStream {
  private let stream: UnsafeMutablePointer<ZLib.Stream>
  private let step: ZLib.Step
  private let resetting: ZLib.Call
  private let ending: ZLib.Call
  /// Goes on after a stream's end; `nil`: what is written has none.
  private let goingOn: ZLib.Call?
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  /// Makes one that inflates, whatever the other side's window is; `nil` where there is no zlib, or
  /// no memory.
  init?() {
    guard let zlib = ZLib.shared, let messages = zlib.messages else { return nil }
    stream = .allocate(capacity: 1)
    stream.initialize(to: ZLib.Stream())
    guard zlib.beginInflate(stream, windowBits: -15) else {
      stream.deallocate()
      return nil
    }
    (step, resetting, ending) = (zlib.inflate, messages.inflateReset, zlib.inflateEnd)
    goingOn = messages.inflateResetKeep
  }

  /// Creates a stream that deflates, without a header if the bits are negative; `nil` if there is
  /// no zlib or no memory. The default level is Z_DEFAULT_COMPRESSION.
  init?(deflatingWithin windowBits: Int, level: Int = -1, memory: Int = 8) {
    guard let messages = ZLib.shared?.messages else { return nil }
    stream = .allocate(capacity: 1)
    stream.initialize(to: ZLib.Stream())
    let (bits, own, size) = (Int32(windowBits), Int32(memory), ZLib.size)
    // Z_DEFLATED, Z_DEFAULT_STRATEGY.
    let begin = messages.initialiseDeflate
    guard begin(stream, Int32(level), 8, bits, own, 0, ZLib.version, size) == 0 else {
      stream.deallocate()
      return nil
    }
    (step, resetting, ending) = (messages.deflate, messages.deflateReset, messages.deflateEnd)
    goingOn = nil
  }

  deinit {
    _ = ending(stream)
    stream.deallocate()
  }

  /// Tells whether what was inflated ends at a byte, between two blocks.
  ///
  /// `data_type` has the bits of the last byte that are left, and 128 between two blocks (zlib.h).
  var isBetweenBlocks: Bool {
    stream.pointee.dataType & 0x80 != 0 && stream.pointee.dataType & 0x3F == 0
  }

  /// Forgets what came before.
  func reset() { _ = resetting(stream) }

  /// Runs all of the input through, and gives the output in pieces until `take` wants no more.
  ///
  /// - Returns: False where the input is damaged or has 4 GiB, or `take` wanted no more.
  func run(_ input: Data, flush: Int32, _ take: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    input.withUnsafeBytes { bytes in
      guard let count = UInt32(exactly: bytes.count) else { return false }
      stream.pointee.nextIn = bytes.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.availableIn = count
      defer { stream.pointee.nextIn = nil }
      while true {
        let (result, count) = ZLib.run(step, stream, flush: flush, into: &buffer)
        guard buffer.withUnsafeBufferPointer({ take(UnsafeBufferPointer(rebasing: $0[..<count])) })
        else { return false }
        switch result {
        // Z_STREAM_END: another stream may follow, as after a last block (RFC 7692 §7.2.3.5).
        case 1: _ = goingOn?(stream)
        // Z_BUF_ERROR: there is nothing more to do.
        case -5 where count == 0: return true
        case 0: break
        default: return false
        }
        // A full buffer may have more behind it.
        if count < buffer.count, stream.pointee.availableIn == 0 { return true }
      }
    }
  }
}
