internal import Foundation

/// What the system says of this process; `nil` where it does not say it so.
enum ProcessFacts {
  /// Memory that is in RAM: `VmRSS` of proc(5), in megabytes.
  static var residentMegabytes: Double? {
    // Elsewhere than on Linux there is no such file.
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }.map { $0 / 1_000 }
  }

  /// What is allocated and not freed, in megabytes: malloc_info(3), which no module of the C library
  /// brings. Resident memory has what was freed and is kept for later in it, too.
  static var heapMegabytes: Double? {
    typealias Info = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(nil, "malloc_info"), let file = tmpfile() else { return nil }
    defer { fclose(file) }
    guard unsafeBitCast(symbol, to: Info.self)(0, UnsafeMutableRawPointer(file)) == 0 else {
      return nil
    }
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    // Behind the heaps comes what they are together.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let all = text.range(of: "</heap>", options: .backwards) else { return nil }
    func size(_ word: String) -> Double {
      let pattern = #"<\#(word)"[^>]* size="([0-9]+)""#
      guard let regex = try? Regex(pattern, as: (Substring, Substring).self),
        let match = text[all.upperBound...].firstMatch(of: regex)
      else { return 0 }
      return Double(match.output.1) ?? 0
    }
    let free = size(#"total type="fast"#) + size(#"total type="rest"#)
    return (size(#"system type="current"#) + size(#"total type="mmap"#) - free) / 1e6
  }

  /// The most memory that was resident so far, in bytes.
  static var peakBytes: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(RUSAGE_SELF.rawValue, &usage)
      return usage.ru_maxrss * 1024
    #endif
  }

  /// How many descriptors are open.
  static var descriptors: Int? {
    // Elsewhere than on Linux there is no such folder.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
  }
}
