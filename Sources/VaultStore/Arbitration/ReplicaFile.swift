/// The file beside a replica with the address of its fleet's server.
package enum ReplicaFile {
  /// Returns the path of that file for the replica at a path.
  package static func path(besides vault: String) -> String { vault + ".fleet" }
}
