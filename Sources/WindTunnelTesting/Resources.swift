internal import Foundation

/// What a build has put beside the tests of a module.
///
/// SwiftPM copies the resources of a target into `PACKAGE_TARGET.resources` beside the test program, or
/// on Apple platforms into a bundle `PACKAGE_TARGET.bundle` within that of the tests; Xcode copies a
/// target's into the bundle of its tests, `TARGET.xctest`.
struct Resources: Sendable {
  /// Folders that such bundles are or lie in.
  let roots: [URL]

  /// Those of the program that runs.
  static let built: Resources = {
    let bundles = [Bundle.main] + Bundle.allBundles
    let roots = bundles.flatMap { [$0.bundleURL] + ($0.resourceURL.map { [$0] } ?? []) }
    var known: Set<String> = []
    return Resources(roots: roots.filter { known.insert($0.standardizedFileURL.path).inserted })
  }()

  /// A cassette of a module: a target that copies its folder `Cassettes` has it in one of that name, one
  /// that has it processed at the top.
  func file(_ path: String, of module: String) -> URL? {
    guard !module.isEmpty else { return nil }
    let last = path.split(separator: "/").last.map(String.init) ?? path
    for folder in roots.flatMap({ folders(of: module, in: $0) }) {
      let places = ["Cassettes/\(path)", path, last].map { folder.appending(path: $0) }
      if let file = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
        return file
      }
    }
    return nil
  }

  private func folders(of module: String, in root: URL) -> [URL] {
    if root.lastPathComponent == "\(module).xctest" { return [Self.content(of: root)] }
    // A folder that cannot be read has nothing to offer.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.sorted().filter { name in
      ["resources", "bundle"].contains { ending in
        Self.isNamed(name, module, ending)
      }
    }.map { Self.content(of: root.appending(path: $0)) }
  }

  /// A module is called as its target, but for what may stand in no name.
  private static func isNamed(_ name: String, _ module: String, _ ending: String) -> Bool {
    let plain = name.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "_" }
    return String(plain).hasSuffix("_\(module).\(ending)")
  }

  private static func content(of bundle: URL) -> URL {
    Bundle(url: bundle)?.resourceURL ?? bundle
  }
}
