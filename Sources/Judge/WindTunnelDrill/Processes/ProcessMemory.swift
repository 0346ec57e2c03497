internal import Foundation

/// The resident memory of processes, read from proc(5).
enum ProcessMemory {
  /// The maximum number of processes of a program that are checked. Programs rarely have more.
  private static let processesMax = 64

  /// Returns the memory in bytes of the largest process among a process and its descendants: the
  /// peak if `isPeak`, else the current size. Returns `nil` if the system does not report it.
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
      // Each thread lists the children that it has started.
      waiting += threads(of: next).flatMap { thread in
        text("\(thread)/children").split(separator: " ").compactMap { Int32($0) }
      }
    }
    return tree
  }

  /// Returns the folders of a process's threads. The result is empty if the process has ended.
  static func threads(of process: Int32) -> [String] {
    let folder = "/proc/\(process)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { "\(folder)/\($0)" }
  }

  /// Returns the text of a file of proc(5), or an empty text if the file no longer exists.
  static func text(_ path: String) -> String {
    // The file may no longer exist.
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}

extension String {
  /// Returns the value of this field in a process's status in bytes. The file has it in kB.
  fileprivate func value(of process: Int32) -> Int? {
    let lines = ProcessMemory.text("/proc/\(process)/status").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(self) }) else { return nil }
    let words = line.dropFirst(count).split { $0 == " " || $0 == "\t" }
    return words.first.flatMap { Int($0) }.map { $0 * 1024 }
  }
}
