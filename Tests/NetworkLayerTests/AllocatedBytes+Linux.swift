#if !canImport(Darwin)
  import Foundation
  import Glibc

  /// What the process keeps in memory.
  enum AllocatedBytes {
    /// Bytes of its resident pages, after the allocator has given back those that are free.
    static var now: Int {
      if let symbol = dlsym(nil, "malloc_trim") {
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
      }
      // The second number is pages; a system without the file has none, and then nothing grows.
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }
#endif
