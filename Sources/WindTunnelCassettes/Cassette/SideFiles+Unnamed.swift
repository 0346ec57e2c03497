package import Foundation

extension Cassette {
  /// The names of the files in a cassette's folder of bodies that it does not name, in their order.
  package func unnamedSideFiles(of cassette: URL) -> [String] {
    let folder = SideFiles(of: cassette).folder
    // A folder that is not there holds nothing.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard !names.isEmpty else { return [] }
    let named = sideFileNames
    return names.filter { SideFiles.isName($0) && !named.contains($0.lowercased()) }.sorted()
  }

  /// The names of the files in its folder of bodies that it names when it is written.
  package var sideFileNames: Set<String> {
    let bodies = interactions.flatMap { [$0.request.body, $0.response?.body].compactMap(\.self) }
    let kept = bodies.map(\.data).filter { $0.count >= SideFiles.bodyBytesMin }
    return Set(kept.map { SHA256.hexadecimal($0) })
  }
}
