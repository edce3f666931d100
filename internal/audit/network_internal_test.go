package audit

import (
	"errors"
	"testing"
)

// TestNetworks: NFS, SMB, FUSE and their like are refused with a hint; disks are not. ext4, xfs, btrfs, tmpfs and overlay are numbers of statfs(2).
func TestNetworks(t *testing.T) {
	t.Parallel()
	for _, kind := range []int64{0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, int64(int32(-0xacb2be))} { // the last: CIFS where the number is signed
		var place *PlaceError
		if err := refuseNetwork("/mnt/audit.db", kind); !errors.As(err, &place) || !errors.Is(err, ErrPlace) || place.Hint() == "" {
			t.Errorf("%x: %v", kind, err)
		}
	}
	for _, kind := range []int64{0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630} {
		if err := refuseNetwork("/var/audit.db", kind); err != nil {
			t.Errorf("%x: %v", kind, err)
		}
	}
}

func TestAccountName(t *testing.T) {
	t.Parallel()
	if name, err := accountName("testdata/passwd", 1000); err != nil || name != "kim" {
		t.Errorf("%q, %v", name, err)
	}
	for _, uid := range []int{7, 1001, 1002} {
		if name, err := accountName("testdata/passwd", uid); err != nil || name[:4] != "uid:" {
			t.Errorf("%d is %q, %v", uid, name, err)
		}
	}
	if name, err := accountName("testdata/none", 5); err != nil || name != "uid:5" {
		t.Errorf("%q, %v", name, err)
	}
}
