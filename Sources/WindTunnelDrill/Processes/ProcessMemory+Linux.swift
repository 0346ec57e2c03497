#if os(Linux) || os(Android)
  internal import Foundation

  /// The resident memory of processes, as proc(5) tells it.
  enum ProcessMemory {
    /// A program has hardly more processes than that; what is beyond is not looked at.
    private static let processesMax = 64

    /// Returns the bytes of the largest among a process and its descendants: what they have now, or
    /// the most that they had; `nil` where the system does not tell.
    static func bytes(of process: Int32, atMost isPeak: Bool) -> Int? {
      let field = isPeak ? "VmHWM:" : "VmRSS:"
      var (waiting, seen, most): ([Int32], Set<Int32>, Int?) = ([process], [], nil)
      while let next = waiting.popLast(), seen.count < processesMax {
        guard seen.insert(next).inserted else { continue }
        if let bytes = field.value(of: next) { most = max(most ?? 0, bytes) }
        waiting += children(of: next)
      }
      return most
    }

    /// A child belongs to the thread that has started it.
    private static func children(of process: Int32) -> [Int32] {
      let folder = "/proc/\(process)/task"
      // One that has ended meanwhile has none.
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return threads.flatMap { thread in
        text("\(folder)/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
      }
    }

    fileprivate static func text(_ path: String) -> String {
      // The same: it may be gone.
      (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
  }

  extension String {
    /// The value of this field in a process's status, which is in kB there.
    fileprivate func value(of process: Int32) -> Int? {
      let lines = ProcessMemory.text("/proc/\(process)/status").split(separator: "\n")
      guard let line = lines.first(where: { $0.hasPrefix(self) }) else { return nil }
      let words = line.dropFirst(count).split { $0 == " " || $0 == "\t" }
      return words.first.flatMap { Int($0) }.map { $0 * 1024 }
    }
  }
#endif
