/// The file beside a replica with the address of its fleet's server.
package enum ReplicaFile {
  /// Returns its path.
  ///
  /// - Parameter vault: The path of the replica.
  package static func path(besides vault: String) -> String { vault + ".fleet" }
}
