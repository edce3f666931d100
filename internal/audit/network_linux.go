package audit

import "syscall"

// networks are file systems on which SQLite's locks and shared memory cannot be trusted, by the number that statfs(2) gives.
var networks = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x65735546: "FUSE", 0x5346414f: "AFS", 0x6b414653: "AFS", 0x73757245: "Coda",
	0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x01161970: "GFS2", 0x7461636f: "OCFS2", 0x47504653: "GPFS", 0xaad7aaea: "Panasas", 0x19830326: "BeeGFS",
}

// localOnly refuses a path on a file system that other machines share.
func localOnly(path string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return &PlaceError{path, "finding its file system: " + err.Error(), fileAdvice}
	}
	return refuseNetwork(path, st.Type)
}

// refuseNetwork looks at the lower half of the number, whose width and sign differ by machine.
func refuseNetwork[N int32 | uint32 | int64](path string, kind N) error {
	if name, ok := networks[uint32(kind)]; ok {
		return &PlaceError{path, "it lies on a network file system (" + name + "): locks are not kept there", "keep it on a local disk; a trail for a team needs a database server"}
	}
	return nil
}
