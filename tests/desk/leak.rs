//! Blindness on the screen: what an annotator sees while labelling is the same to the byte whatever the partner said.

use super::world::{World, opened, options};
use crate::rig::styles_of;

/// Two worlds in which anna has said the same, and ben has not.
fn worlds() -> [World; 2] {
    let one = World::with_round();
    let other = World::with_round();
    for world in [&one, &other] {
        for (number, item) in world.items().iter().enumerate().take(8) {
            world.say("anna", item, &World::said("anna", number));
        }
        world.note("anna", 0, "mine");
    }
    let now = one.clock.clone();
    for (number, item) in other.items().iter().enumerate() {
        other.say("ben", item, &World::said("ben", number));
    }
    other.note("ben", 3, "secret");
    let _ = now;
    [one, other]
}

#[test]
fn the_screens_of_an_annotator_do_not_depend_on_the_partner() {
    let worlds = worlds();
    let ids = worlds[0].desk("anna").round.id.to_string();
    let _ = ids;
    for size in [(80, 24), (140, 40)] {
        for who in ["anna", "zoe", "eve"] {
            for keys in [
                "",
                "d",
                "d ctrl-d",
                "d ctrl-d ctrl-d",
                "d G",
                "m",
                "a",
                "enter",
                "g d",
                "g d enter",
                "g d y",
                "g d O",
                "g d U enter",
                "g d N",
                "g d ]",
                "y",
                "ctrl-r",
                "g d ctrl-r",
            ] {
                let [one, other] = [&worlds[0], &worlds[1]].map(|world| {
                    let mut rig = opened(world, who, keys, options(size, "dark"));
                    rig.rest();
                    (rig.text(), styles_of(&rig.buffer()), rig.copied.clone())
                });
                assert_eq!(one.0, other.0, "{who}: {keys} at {size:?}");
                assert_eq!(one, other, "{who}: {keys} at {size:?}");
            }
        }
    }
    // The test can fail: the lead sees how far he is.
    let [one, other] =
        [&worlds[0], &worlds[1]].map(|world| opened(world, "lea", "d", options((80, 24), "dark")).text());
    assert_ne!(one, other);
}
