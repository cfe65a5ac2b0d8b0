# SPDX-License-Identifier: Apache-2.0
# Models, and modules that torch.nn does not have. A line "#@ name" begins the piece of that name, which ends before
# the next such line.
#@ global_average_pool

class GlobalAveragePool(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))

#@ transformer_parts

class Positions(nn.Module):
    """Adds the embedding of each position."""

    def __init__(self, embedding):
        super().__init__()
        self.embedding = embedding

    def forward(self, x):
        return x + self.embedding(torch.arange(x.shape[1], device=x.device))


class Beside(nn.Module):
    """Half of a transformer's block: adds the output of its layers to its input x."""

    def __init__(self, norm, body, dropout):
        super().__init__()
        self.norm, self.body, self.dropout = norm, body, dropout

    def forward(self, x):
        return x + self.dropout(self.body(self.norm(x)))

#@ position_embedding

class PositionEmbedding(nn.Embedding):
    """Adds the embedding of each position."""

    def forward(self, x):
        return x + super().forward(torch.arange(x.shape[1], device=x.device))

#@ residual

class Residual(nn.Module):
    def __init__(self, body, shortcut=None):
        super().__init__()
        self.body, self.shortcut = body, shortcut

    def forward(self, x):
        return self.body(x) + (self.shortcut(x) if self.shortcut else x)

#@ skipped_residual

class Residual(nn.Module):
    def __init__(self, body, shortcut=None, skip=0):
        super().__init__()
        self.body, self.shortcut, self.skip = body, shortcut, skip

    def forward(self, x):
        beside = self.shortcut(x) if self.shortcut else x
        if self.training and torch.rand(()) < self.skip:
            return beside
        return self.body(x) + beside

#@ residual_cnn

class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = self.downsample(x) if self.downsample else x
        x = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(x)) + shortcut)


class ResidualCNN(nn.Module):
    def __init__(self, channels, classes, width, depth):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.layer1 = self.stage(width, width, depth, stride=1)
        self.layer2 = self.stage(width, 2 * width, depth, stride=2)
        self.layer3 = self.stage(2 * width, 4 * width, depth, stride=2)
        self.fc = nn.Linear(4 * width, classes)

    def stage(self, inputs, outputs, depth, stride):
        return nn.Sequential(BasicBlock(inputs, outputs, stride),
                             *(BasicBlock(outputs, outputs, 1) for _ in range(depth - 1)))

    def forward(self, x):
        x = functional.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


def build_model():
    return ResidualCNN(@arguments@)
#@ attention

class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        batch, positions, width = x.shape
        q, k, v = self.qkv(x).view(batch, positions, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        later = torch.ones(positions, positions, dtype=torch.bool, device=x.device).triu(1)
        shares = scores.masked_fill(later, -math.inf).softmax(-1)
        return self.proj((shares @ v).transpose(1, 2).reshape(batch, positions, width))

#@ transformer

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalSelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.mlp(self.norm2(x)))


class Transformer(nn.Module):
    def __init__(self, words, positions, width, depth, heads):
        super().__init__()
        self.token_embedding = nn.Embedding(words, width)
        self.position_embedding = nn.Embedding(positions, width)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        x = self.token_embedding(x) + self.position_embedding(torch.arange(x.shape[1], device=x.device))
        return self.head(self.norm(self.blocks(self.dropout(x))))


def build_model():
    return Transformer(@arguments@)
#@ simple_cnn_forward
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = functional.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)
