//! The search tree: two arenas, nodes and edges, kept between searches.
//!
//! A node owns the contiguous edges `first_edge..first_edge + edge_count`. Its first `explored` edges lead to nodes;
//! the moves not tried yet follow them. All numbers of a node are from the view of the player to move at it; a parent
//! flips them ([`flip`]).

use rules::Move;

/// Index of a node in its tree.
pub type NodeId = u32;

/// No node: the child of a move not tried yet.
pub const NO_NODE: NodeId = u32::MAX;

/// The proven result of a position, for the player to move in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Proof {
    /// The side to move wins by force.
    Win,
    /// With best play of both sides the game is drawn.
    Draw,
    /// The side to move loses whatever is played.
    Loss,
}

impl Proof {
    /// This result as the other player sees it.
    pub fn flip(self) -> Proof {
        match self {
            Proof::Win => Proof::Loss,
            Proof::Draw => Proof::Draw,
            Proof::Loss => Proof::Win,
        }
    }

    /// Win, draw and loss probabilities of a proven node.
    pub fn wdl(self) -> [f32; 3] {
        match self {
            Proof::Win => [1.0, 0.0, 0.0],
            Proof::Draw => [0.0, 1.0, 0.0],
            Proof::Loss => [0.0, 0.0, 1.0],
        }
    }

    /// The proof of a finished game with this score (+1, 0, −1) for the side to move.
    pub fn of_score(score: f32) -> Proof {
        if score > 0.0 {
            Proof::Win
        } else if score < 0.0 {
            Proof::Loss
        } else {
            Proof::Draw
        }
    }

    /// Lower-case name, for tables: `win`, `draw`, `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Win => "win",
            Proof::Draw => "draw",
            Proof::Loss => "loss",
        }
    }
}

/// A move that ends the game, and its result for the player making it.
pub(crate) type EndingMove = (Move, Proof);

/// A position in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Mean win, draw, loss over the visits; exact once proven.
    pub wdl: [f32; 3],
    /// The network's own win, draw, loss; equal to `wdl` of a proven end.
    pub net_wdl: [f32; 3],
    /// Mean of q² over the visits, each as it came; what was proven later does not change it.
    pub q_squared: f32,
    /// Simulations that went through or ended here.
    pub visits: u32,
    /// Where the edges begin.
    pub first_edge: u32,
    /// Number of edges; 0 for ends and wins in one, which are never searched below.
    pub edge_count: u16,
    /// Every edge from this index on is unexplored.
    pub explored: u16,
    /// Plies to the end of the game in the proven line; 0 without a proof.
    pub distance: u16,
    /// Tried moves that are proven to lose; they are treated as illegal.
    pub proven_losses: u16,
    /// The proven result; `None` while the position is open.
    pub proof: Option<Proof>,
    /// Whether the network has evaluated the node and its edges exist.
    pub expanded: bool,
    /// Whether edge `explored` is already the best of those not tried ([`Tree::front_untried`]).
    front_ready: bool,
}

/// A move in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The move.
    pub mv: Move,
    /// Its share of the network's policy, after noise at the root.
    pub prior: f32,
    /// The node it leads to, or [`NO_NODE`].
    pub child: NodeId,
}

/// Bytes a node takes.
pub const NODE_BYTES: usize = 48;
/// Bytes an edge takes; a position has about 40 of them.
pub const EDGE_BYTES: usize = 12;
const _: () = assert!(size_of::<Node>() == NODE_BYTES && size_of::<Edge>() == EDGE_BYTES);

/// q of win, draw, loss: win − loss, −1 to 1, for the player whose chances these are.
#[inline(always)]
pub fn q_of(wdl: [f32; 3]) -> f32 {
    wdl[0] - wdl[2]
}

/// Win, draw, loss as the other player sees them.
#[inline(always)]
pub fn flip(wdl: [f32; 3]) -> [f32; 3] {
    [wdl[2], wdl[1], wdl[0]]
}

/// The arenas. Node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Target of the copy in [`Tree::keep`] before the arenas are swapped.
    spare_nodes: Vec<Node>,
    spare_edges: Vec<Edge>,
}

/// The root of every tree.
pub const ROOT: NodeId = 0;

impl Tree {
    /// Empties the tree but keeps its memory, and makes a root without edges.
    pub fn reset(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.add_node();
    }

    /// Makes room for `nodes` more nodes, so that adding them allocates nothing.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is not even a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Bytes of the nodes and edges in use. The vectors that hold them may have room for up to twice as many, and
    /// so may those that [`Tree::keep`] copies to.
    pub fn bytes_used(&self) -> usize {
        self.nodes.len() * NODE_BYTES + self.edges.len() * EDGE_BYTES
    }

    /// A node.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// A node, to be changed.
    #[inline(always)]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The edges of a node.
    #[inline(always)]
    pub fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        &self.edges[node.first_edge as usize..][..usize::from(node.edge_count)]
    }

    /// The edges of a node, to be changed.
    #[inline(always)]
    pub fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let node = self.nodes[id as usize];
        &mut self.edges[node.first_edge as usize..][..usize::from(node.edge_count)]
    }

    /// The edge number `edge` of a node.
    #[inline(always)]
    pub fn edge(&self, id: NodeId, edge: usize) -> &Edge {
        &self.edges[self.node(id).first_edge as usize + edge]
    }

    /// Adds an open node without visits and edges.
    pub fn add_node(&mut self) -> NodeId {
        self.nodes.push(Node {
            wdl: [0.0; 3],
            net_wdl: [0.0; 3],
            q_squared: 0.0,
            visits: 0,
            first_edge: 0,
            edge_count: 0,
            explored: 0,
            distance: 0,
            proven_losses: 0,
            proof: None,
            expanded: false,
            front_ready: false,
        });
        (self.nodes.len() - 1) as NodeId
    }

    /// Adds a node behind edge number `edge` of `parent`.
    pub fn add_child(&mut self, parent: NodeId, edge: usize) -> NodeId {
        let child = self.add_node();
        self.edges_mut(parent)[edge].child = child;
        let parent = self.node_mut(parent);
        parent.explored = parent.explored.max(edge as u16 + 1);
        parent.front_ready = false;
        child
    }

    /// Gives a node its moves, with priors still to be filled in.
    pub fn add_edges(&mut self, id: NodeId, moves: &[Move]) -> &mut [Edge] {
        let first = self.edges.len();
        self.edges.extend(moves.iter().map(|&mv| Edge { mv, prior: 0.0, child: NO_NODE }));
        let node = self.node_mut(id);
        node.first_edge = first as u32;
        node.edge_count = moves.len() as u16;
        node.expanded = true;
        &mut self.edges[first..]
    }

    /// Moves the best move not tried yet (of equals the one with the lowest code) to the front of those, and returns
    /// its index; `None` if all have been tried. Finding it on demand is cheaper than sorting every node, since most
    /// nodes are never visited again.
    #[inline]
    pub fn front_untried(&mut self, id: NodeId) -> Option<usize> {
        let node = self.node(id);
        let front = usize::from(node.explored);
        if front >= usize::from(node.edge_count) {
            return None;
        }
        if !node.front_ready {
            let edges = self.edges_mut(id);
            let mut best = front;
            for i in front + 1..edges.len() {
                let (prior, highest) = (edges[i].prior, edges[best].prior);
                if prior > highest || (prior == highest && edges[i].mv < edges[best].mv) {
                    best = i;
                }
            }
            edges.swap(front, best);
            self.node_mut(id).front_ready = true;
        }
        Some(front)
    }

    /// The child behind `mv`, if the move has been tried.
    pub fn child_by_move(&self, id: NodeId, mv: Move) -> Option<NodeId> {
        let edge = self.edges(id).iter().find(|edge| edge.mv == mv)?;
        (edge.child != NO_NODE).then_some(edge.child)
    }

    /// The child behind an edge, if it has been visited or proven.
    #[inline(always)]
    pub(crate) fn tried_child(&self, edge: &Edge) -> Option<&Node> {
        if edge.child == NO_NODE {
            return None;
        }
        let child = self.node(edge.child);
        (child.visits > 0 || child.proof.is_some()).then_some(child)
    }

    /// Whether a move is proven to lose.
    #[inline(always)]
    pub(crate) fn is_proven_loss(&self, edge: &Edge) -> bool {
        self.tried_child(edge).is_some_and(|child| child.proof == Some(Proof::Win))
    }

    /// Makes `root` the root, with its whole subtree, and forgets the rest.
    pub fn keep(&mut self, root: NodeId) {
        self.spare_nodes.clear();
        self.spare_edges.clear();
        self.spare_nodes.push(*self.node(root));
        // The copied nodes are their own work list: each is visited once, its edges are copied and its
        // children appended.
        let mut next = 0;
        while next < self.spare_nodes.len() {
            let node = &mut self.spare_nodes[next];
            let old = &self.edges[node.first_edge as usize..][..usize::from(node.edge_count)];
            node.first_edge = self.spare_edges.len() as u32;
            for edge in old {
                let mut edge = *edge;
                if edge.child != NO_NODE {
                    self.spare_nodes.push(self.nodes[edge.child as usize]);
                    edge.child = (self.spare_nodes.len() - 1) as NodeId;
                }
                self.spare_edges.push(edge);
            }
            next += 1;
        }
        std::mem::swap(&mut self.nodes, &mut self.spare_nodes);
        std::mem::swap(&mut self.edges, &mut self.spare_edges);
    }

    /// Reorders the root's edges to the order of `moves`, which are the same moves. Only while none is explored.
    pub fn order_root_edges(&mut self, moves: &[Move]) {
        let edges = self.edges_mut(ROOT);
        for (i, &mv) in moves.iter().enumerate() {
            if let Some(found) = edges[i..].iter().position(|edge| edge.mv == mv) {
                edges.swap(i, i + found);
            }
        }
    }
}
