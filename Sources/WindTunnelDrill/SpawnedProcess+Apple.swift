#if canImport(Darwin)
  package import Foundation
  package import WindTunnelServer

  /// A child process; Darwin's own class keeps what it promises.
  package typealias SpawnedProcess = Process

  extension Process {
    /// Nobody is told there of a parent's end: who has to end with it watches a pipe.
    package var endsWithParent: Bool {
      get { false }
      set {}
    }

    /// Nothing there takes in what a program has left behind: what ends with it is its process group,
    /// and a descendant in a session of its own is out of reach.
    package var isSupervised: Bool {
      get { false }
      set {}
    }

    /// Nobody there holds anything open for others.
    package var heldOpen: Int32 {
      get { -1 }
      set {}
    }

    /// There is no network there but the system's own.
    package var network: PrivateNetwork? {
      get { nil }
      set {}
    }

    /// Comes back when it has ended.
    package func waitUntilGone() { waitUntilExit() }

    /// Tells it to end, with its process group, as a shell would.
    package func askToEnd() { if isRunning { kill(-processIdentifier, SIGTERM) } }

    /// Kills it with its process group.
    package func killAll() { if isRunning { kill(-processIdentifier, SIGKILL) } }
  }
#endif
