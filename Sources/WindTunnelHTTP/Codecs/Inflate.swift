package import Foundation

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// A decoder of gzip and deflate bodies by the system's zlib, found at run time.
///
/// Only for reading: what is kept and played is the body as it came.
package enum Inflate {
  /// An opened body is at most this long; the rest is left closed.
  package static let bytesMax = 256 << 20

  /// The content codings that are opened; without zlib none but the content as it is.
  package static var codings: Set<String> {
    zlib == nil ? ["identity"] : ["gzip", "x-gzip", "deflate", "identity"]
  }

  /// Opens a body of a content coding (RFC 9110 §8.4.1); `nil` if it is another coding, damaged,
  /// larger than ``bytesMax``, or if there is no zlib.
  package static func open(_ data: Data, coding: String) -> Data? {
    switch coding.lowercased() {
    case "identity", "": data
    case "gzip", "x-gzip", "deflate": zlib.flatMap { $0.inflate(data) }
    default: nil
    }
  }

  /// zlib's `z_stream`, whose layout is part of its binary interface since 1.0.
  private struct Stream {
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

  private struct Library: @unchecked Sendable {
    typealias Initialise =
      @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
    typealias Step = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    typealias End = @convention(c) (UnsafeMutableRawPointer) -> Int32

    let initialise: Initialise
    let step: Step
    let end: End

    init?() {
      // By its place on Apple platforms, where a hardened program finds none by name.
      let names = ["libz.so.1", "libz.so", "/usr/lib/libz.1.dylib"]
      guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
        let initialise = dlsym(handle, "inflateInit2_"), let step = dlsym(handle, "inflate"),
        let end = dlsym(handle, "inflateEnd")
      else { return nil }
      self.initialise = unsafeBitCast(initialise, to: Initialise.self)
      self.step = unsafeBitCast(step, to: Step.self)
      self.end = unsafeBitCast(end, to: End.self)
    }

    func inflate(_ data: Data) -> Data? {
      // 32: zlib or gzip, told apart by the first bytes; -15: the raw deflate some servers send.
      run(data, windowBits: 15 + 32) ?? run(data, windowBits: -15)
    }

    private func run(_ data: Data, windowBits: Int32) -> Data? {
      var stream = Stream()
      let size = Int32(MemoryLayout<Stream>.size)
      guard initialise(&stream, windowBits, "1.2.11", size) == 0 else { return nil }
      defer { _ = end(&stream) }
      var output = Data()
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let isWhole = data.withUnsafeBytes { input -> Bool in
        stream.nextIn = input.bindMemory(to: UInt8.self).baseAddress
        stream.availableIn = UInt32(clamping: input.count)
        while output.count <= Inflate.bytesMax {
          let (result, count) = buffer.withUnsafeMutableBufferPointer { out -> (Int32, Int) in
            stream.nextOut = out.baseAddress
            stream.availableOut = UInt32(out.count)
            let result = step(&stream, 0)
            return (result, out.count - Int(stream.availableOut))
          }
          output.append(contentsOf: buffer.prefix(count))
          // What follows the end is another member or rubbish; neither may stay unseen.
          if result == 1 { return stream.availableIn == 0 }
          if result != 0 || (count == 0 && stream.availableIn == 0) { return false }
        }
        return false
      }
      return isWhole ? output : nil
    }
  }

  private static let zlib = Library()
}
