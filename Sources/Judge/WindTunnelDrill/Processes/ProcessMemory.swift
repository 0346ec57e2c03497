internal import Foundation

/// The resident memory of processes, as proc(5) tells it.
enum ProcessMemory {
  /// A program has hardly more processes than that; what is beyond is not looked at.
  private static let processesMax = 64

  /// Returns the bytes of the largest among a process and its descendants: what they have now, or
  /// the most that they had; `nil` where the system does not tell.
  static func bytes(of process: Int32, atMost isPeak: Bool) -> Int? {
    let field = isPeak ? "VmHWM:" : "VmRSS:"
    return tree(of: process).compactMap(field.value).max()
  }

  /// Returns a process and its descendants.
  static func tree(of process: Int32) -> [Int32] {
    var (waiting, tree): ([Int32], [Int32]) = ([process], [])
    while let next = waiting.popLast(), tree.count < processesMax {
      guard !tree.contains(next) else { continue }
      tree.append(next)
      // A child belongs to the thread that has started it.
      waiting += threads(of: next).flatMap { thread in
        text("\(thread)/children").split(separator: " ").compactMap { Int32($0) }
      }
    }
    return tree
  }

  /// Returns the folders of a process's threads; none of one that has ended meanwhile.
  static func threads(of process: Int32) -> [String] {
    let folder = "/proc/\(process)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { "\(folder)/\($0)" }
  }

  /// Returns the text of a file of proc(5); an empty one where it is not there any more.
  static func text(_ path: String) -> String {
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
