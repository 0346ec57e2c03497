internal import Foundation

/// The files that a build has copied next to the tests of a module.
///
/// SwiftPM copies the resources of a target to `PACKAGE_TARGET.resources` next to the test program.
/// On Apple platforms it copies them to `PACKAGE_TARGET.bundle`, inside the tests' bundle or next
/// to it. Xcode copies a target's resources into the bundle of its tests, `TARGET.xctest`.
struct Resources: Sendable {
  /// The folders that are such bundles or contain them.
  let roots: [URL]

  /// The number of bytes that are read to check whether a file is a cassette.
  private static let headBytesMax = 4096

  /// The resources of the running program.
  static let built = Resources(
    bundles: ([Bundle.main] + Bundle.allBundles).map { ($0.bundleURL, $0.resourceURL) }
  )

  init(roots: [URL]) { self.roots = roots }

  /// Searches bundles, their content, and the folders of test bundles.
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

  /// Returns the cassette of a module whose resources are processed.
  ///
  /// Its files are at the top, among files of any kind. Only a file that begins like a cassette is
  /// one.
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

  /// Returns the bundles of a module in a folder, with the shortest name.
  ///
  /// A longer name may belong to a target whose own name contains an underscore.
  private func bundles(of module: String, in folder: URL) -> [URL] {
    // A folder that cannot be read contains no bundles.
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

  /// Returns whether a name is `PACKAGE_TARGET`.
  ///
  /// A module has the name of its target, without characters that are invalid in module names.
  private static func isNamed(_ name: String, _ module: String) -> Bool {
    name.indices.contains { place in
      guard name[place] == "_" else { return false }
      let target = name[name.index(after: place)...]
      return String(target.map { $0.isLetter || $0.isNumber ? $0 : "_" }) == module
    }
  }

  private static func isCassette(_ file: URL) -> Bool {
    // A file that cannot be read is no cassette.
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    // Nothing was written that could be lost.
    defer { try? handle.close() }
    // A folder can be opened, but not read.
    guard let head = try? handle.read(upToCount: headBytesMax) else { return false }
    return head.firstRange(of: Data("\"windtunnel\"".utf8)) != nil
  }

  private static func content(of bundle: URL) -> URL { Bundle(url: bundle)?.resourceURL ?? bundle }
}
