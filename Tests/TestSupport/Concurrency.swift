/// Calls a function once for each element, all at the same time, and returns after the last of them.
public func concurrently<Elements: Sequence>(
  _ elements: Elements,
  _ body: @escaping @Sendable (Elements.Element) async -> Void
) async where Elements.Element: Sendable {
  await withTaskGroup(of: Void.self) { group in
    for element in elements { group.addTask { await body(element) } }
  }
}
