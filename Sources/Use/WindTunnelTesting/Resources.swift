internal import Foundation

/// The files that a build has put beside the tests of a module.
///
/// SwiftPM copies the resources of a target into `PACKAGE_TARGET.resources` beside the test
/// program, or on Apple platforms into a bundle `PACKAGE_TARGET.bundle` within that of the tests or
/// beside it; Xcode copies a target's into the bundle of its tests, `TARGET.xctest`.
struct Resources: Sendable {
  /// Folders that such bundles are or lie in.
  let roots: [URL]

  /// As much of a file as is read to see whether it is a cassette.
  private static let headBytesMax = 4096

  /// Those of the program that runs.
  static let built = Resources(
    bundles: ([Bundle.main] + Bundle.allBundles).map { ($0.bundleURL, $0.resourceURL) }
  )

  init(roots: [URL]) { self.roots = roots }

  /// Looks in bundles, in what they hold, and beside those of tests.
  init(bundles: [(bundle: URL, resources: URL?)]) {
    let all = bundles.flatMap { bundle, resources in
      let isOfTests = bundle.pathExtension == "xctest"
      return [bundle] + (resources.map { [$0] } ?? [])
        + (isOfTests ? [bundle.deletingLastPathComponent()] : [])
    }
    var known: Set<String> = []
    roots = all.filter { known.insert($0.standardizedFileURL.path).inserted }
  }

  /// Returns the cassette of a module that copies its folder `Cassettes`.
  func file(inCassettes path: String, of module: String) -> URL? {
    folders(of: module).map { $0.appending(path: "Cassettes/\(path)") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Returns the cassette of a module that has its files processed: they lie at the top, amongst
  /// files of any kind, so that only what begins as a cassette does is one.
  func file(atTop path: String, of module: String) -> URL? {
    folders(of: module).map { $0.appending(path: path) }.first(where: Self.isCassette)
  }

  private func folders(of module: String) -> [URL] {
    module.isEmpty ? [] : roots.flatMap { folders(of: module, in: $0) }
  }

  private func folders(of module: String, in root: URL) -> [URL] {
    guard root.lastPathComponent == "\(module).xctest" else { return bundles(of: module, in: root) }
    let content = Self.content(of: root)
    return [content] + bundles(of: module, in: content)
  }

  /// Returns the bundles of a module in a folder: those of the shortest name, for a longer one may
  /// be that of a target whose own name has an underscore.
  private func bundles(of module: String, in folder: URL) -> [URL] {
    // A folder that cannot be read has nothing to offer.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let found = names.sorted().compactMap { name -> (place: URL, length: Int)? in
      let place = folder.appending(path: name)
      guard ["resources", "bundle"].contains(place.pathExtension) else { return nil }
      let stem = place.deletingPathExtension().lastPathComponent
      return Self.isNamed(stem, module) ? (place, stem.count) : nil
    }
    let shortest = found.map(\.length).min()
    return found.filter { $0.length == shortest }.map { Self.content(of: $0.place) }
  }

  /// Tells whether a name is `PACKAGE_TARGET`; a module is called as its target, but for what may
  /// stand in no name.
  private static func isNamed(_ name: String, _ module: String) -> Bool {
    name.indices.contains { place in
      guard name[place] == "_" else { return false }
      let target = name[name.index(after: place)...]
      return String(target.map { $0.isLetter || $0.isNumber ? $0 : "_" }) == module
    }
  }

  private static func isCassette(_ file: URL) -> Bool {
    // What cannot be read is no cassette.
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    // Nor is it to be closed with care.
    defer { try? handle.close() }
    // Nor is a folder, which opens and cannot be read.
    guard let head = try? handle.read(upToCount: headBytesMax) else { return false }
    return head.firstRange(of: Data("\"windtunnel\"".utf8)) != nil
  }

  private static func content(of bundle: URL) -> URL { Bundle(url: bundle)?.resourceURL ?? bundle }
}
